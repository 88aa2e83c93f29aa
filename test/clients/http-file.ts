import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { usePetstore } from '../support/petstore.ts';

/** httpYac sends the requests of cdk/openapi/petstore.http, as users do in an editor. */

const petstore = usePetstore();
const runner = join(import.meta.dirname, 'node_modules/httpyac/bin/httpyac.js');
const file = join(import.meta.dirname, '../../cdk/openapi/petstore.http');

interface Sent {
  readonly title: string;
  readonly name: string;
  readonly response?: { readonly statusCode: number; readonly body: string; readonly headers: Record<string, string> };
}

let folder: string;
beforeAll(async () => {
  await mkdir(join(import.meta.dirname, '.petstore'), { recursive: true });
  folder = await mkdtemp(join(import.meta.dirname, '.petstore/http-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('petstore.http results in the statuses of its titles, and a replayed order', async () => {
  const text = (await readFile(file, 'utf8')).replace('http://127.0.0.1:3000', petstore.url);
  await writeFile(join(folder, 'petstore.http'), text);
  const args = [runner, 'send', 'petstore.http', '--all', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  const { requests } = JSON.parse(stdout) as { requests: Sent[] };
  expect(requests.length).toBe(text.match(/^###/gm)!.length);
  const expected = requests.map(({ title }) => [title, Number(/: (\d{3})$/.exec(title)![1])]);
  expect(requests.map(({ title, response }) => [title, response?.statusCode])).toEqual(expected);
  const [order, replay] = ['order', 'replay'].map(wanted => requests.find(({ name }) => name === wanted)!.response!);
  expect(replay!.headers['idempotent-replayed']).toBe('true');
  expect(replay!.body).toBe(order!.body);
});
