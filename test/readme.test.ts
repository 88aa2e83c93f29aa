import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { synthesise } from '../cdk/assembly/synthesise.ts';
import { costTable, withCostTable } from '../cdk/cost/cost.ts';
import { errors, toBody } from '../lib/errors.ts';
import { hasCommand } from './support/has-command.ts';
import { sharedBundles, usePetstore } from './support/petstore.ts';

const petstore = usePetstore();
const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

describe('the README', () => {
  it.skipIf(!hasCommand('curl') || !hasCommand('bash'))('shows lines that answer as printed', async () => {
    const block = /<!-- try:.*?```sh\n(.*?)```/s.exec(readme)![1]!;
    const commands = [...block.matchAll(/^\$ (.*)$/gm)].map(([, command]) => command!);
    const printed = block.replace(/^\$ .*\n/gm, '');
    const script = commands.join('\n').replaceAll('http://127.0.0.1:3000', petstore.url);
    const { stdout } = await promisify(execFile)('bash', ['-c', script]);
    expect(stdout.replace(/"(id|petId|categoryId)":\d+/g, '"$1":…')).toBe(printed);
  });

  it('states what `npm run cost` computes', async () => {
    const assembly = await synthesise({ stage: 'prod', bundles: sharedBundles() });
    expect(withCostTable(readme, costTable(assembly)), 'the table is stale: npm run cost').toBe(readme);
  });

  it('names every error code under its status', () => {
    const table = readme.slice(readme.indexOf('### Errors'), readme.indexOf('They are checked in this order'));
    for (const name of Object.keys(errors) as (keyof typeof errors)[]) {
      const { code, status } = toBody(name);
      const row = table.split('\n').find(line => line.startsWith('|') && line.split('|')[1]!.includes(String(status)));
      expect(row, `${status}`).toContain(`\`${code}\``);
    }
  });
});
