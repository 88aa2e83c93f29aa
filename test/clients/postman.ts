import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

type Sent = { header: { key: string; value: string }[] };
type Execution = { item: { name: string }; request: Sent; response: { code: number } };

/** Runs the served collection with Newman. */
const run = async (clientSecret: string) => {
  const file = join(tempFolder('data'), 'report.json');
  const newman = join(import.meta.dirname, 'node_modules/newman/bin/newman.js');
  const collection = `${petstore.url}/docs/petstore.postman_collection.json`;
  const variables = `--env-var clientId=staff --env-var clientSecret=${clientSecret}`;
  const options = '--suppress-exit-code --bail --reporters json --reporter-json-export';
  const args = `run ${collection} ${variables} ${options}`.split(' ');
  await promisify(execFile)(process.execPath, [newman, ...args, file]);
  const report = JSON.parse(await readFile(file, 'utf8')).run;
  const failures: { error: { message: string } }[] = report.failures;
  return {
    executions: report.executions as Execution[],
    failures: failures.map(({ error }) => error.message),
  };
};

it('every request of the collection succeeds in an empty store, and every write has its own key', async () => {
  const { executions, failures } = await run('local');
  expect(failures).toEqual([]);
  // The report names the requests of a script like the request after it.
  const byName = new Map(executions.map(execution => [execution.item.name, execution]));
  const [codes, keys] = [new Set<number>(), new Set<string>()];
  for (const { request, response } of byName.values()) {
    codes.add(response.code);
    for (const { key, value } of request.header) if (key === 'Idempotency-Key') keys.add(value);
  }
  expect([byName.size, codes]).toEqual([allOperations.length, new Set([200, 201, 204])]);
  expect(keys.size).toBe(allOperations.filter(({ method }) => method !== 'GET').length);
});

it('a wrong secret is the reason of the first failure', async () => {
  expect((await run('wrong')).failures[0]).toContain('{"error":"invalid_client"}');
});
