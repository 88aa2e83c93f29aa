import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../cdk/synthesis/temp-folder.ts';
import { exampleTokenUrl, exampleUrl } from '../../lib/operations/getOpenApi.ts';
import { stockedPet } from '../support/fixtures.ts';
import { hasCommand } from '../support/has-command.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const guide = readFileSync(join(import.meta.dirname, '../../cdk/openapi/guide.md'), 'utf8');

describe('the README', () => {
  it.skipIf(!hasCommand('curl') || !hasCommand('bash'))('has commands with the printed output', async () => {
    const block = /<!-- try:.*?```sh\n(.*?)```/s.exec(readme)![1]!;
    const commands = [...block.matchAll(/^\$ (.*)$/gm)].map(([, command]) => command!);
    const printed = block.replace(/^\$ .*\n/gm, '');
    const script = commands.join('\n').replaceAll('http://127.0.0.1:3000', petstore.url);
    const { stdout } = await promisify(execFile)('bash', ['-c', script]);
    expect(stdout.replace(/"(id|petId|categoryId)":\d+/g, '"$1":…')).toBe(printed);
  });
});

describe('the guide for callers', () => {
  const blocks = (language: string) =>
    [...guide.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, block]) => block!).join('\n');
  const here = (text: string, petId: number) =>
    text
      .replaceAll(exampleTokenUrl, petstore.tokenUrl)
      .replaceAll(exampleUrl, petstore.url)
      .replaceAll('243719355140437', String(petId));
  const env = { ...process.env, CLIENT_ID: 'shop', CLIENT_SECRET: 'local' };

  it.skipIf(!hasCommand('curl') || !hasCommand('bash'))(
    'has shell commands that get a token and place one order',
    async () => {
      const { id } = await stockedPet(petstore.staff, 5);
      const folder = tempFolder('guide');
      const script = `set -e\n${here(blocks('sh'), id)}\necho\norder basket-4711 '{"petId":${id},"quantity":2}'`;
      const { stdout } = await promisify(execFile)('bash', ['-c', script], { env, cwd: folder });
      const [, first, again] = stdout.replace('[]', '[]\n').split('\n');
      expect(JSON.parse(first!)).toMatchObject({ petId: id, quantity: 2, complete: false });
      expect(again).toBe(first);
      expect((await petstore.staff('GET', `/store/inventory/${id}`)).body.quantity).toBe(3);
    },
  );

  it('has JavaScript that caches its token and reads every page', async () => {
    const pets = [await stockedPet(petstore.staff, 1), await stockedPet(petstore.staff, 1)];
    const script = here(blocks('js'), 0).replace('limit=100', 'limit=1');
    const more = `console.log(Date.now() - createdAt(${pets[0]!.id}), (await accessToken()) === (await accessToken()))`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', `${script}\n${more}`],
      { env },
    );
    for (const { id } of pets) expect(stdout).toContain(String(id));
    const [age, isCached] = stdout.trimEnd().split('\n').at(-1)!.split(' ');
    expect([Number(age) >= 0 && Number(age) < 60_000, isCached]).toEqual([true, 'true']);
  });
});
