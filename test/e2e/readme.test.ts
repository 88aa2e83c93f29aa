import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { exampleTokenUrl, exampleUrl } from '../../lib/operations/getOpenApi.ts';
import { clientFolder } from '../support/client-folder.ts';
import { stockedPet } from '../support/fixtures.ts';
import { hasCommand } from '../support/has-command.ts';
import { usePetstore } from '../support/petstore.ts';
import { read, root } from '../support/project.ts';

const petstore = usePetstore();
const readme = read('README.md');
const guide = read('cdk/openapi/guide.md');
const execute = promisify(execFile);
const node = (...args: string[]) => execute(process.execPath, args, { cwd: root, env });
const env = { ...process.env, CLIENT_ID: 'shop', CLIENT_SECRET: 'local' };
const ofClient = (text: string) => /```sh\n(mkdir shop .*?)```/s.exec(text)![1]!;
const withShell = it.skipIf(!hasCommand('curl') || !hasCommand('bash'));

describe('the README', () => {
  withShell('has commands with the printed output', async () => {
    const [, commands, output] = /<!-- try:.*?```sh\n(.*?)```.*?```\n(.*?)```/s.exec(readme)!;
    const script = commands!.replaceAll('http://127.0.0.1:3000', petstore.url);
    const { stdout } = await execute('bash', ['-c', script]);
    expect(stdout.replace(/"(id|petId|categoryId)":\d+/g, '"$1":…')).toBe(output);
  });

  withShell('has an example of the typed client that compiles in strict mode', async () => {
    const folder = await clientFolder(petstore);
    const example = /<!-- client:.*?```ts\n(.*?)```/s.exec(readme)![1]!;
    const file = join(folder, 'example.ts');
    writeFileSync(file, example.replaceAll('http://127.0.0.1:3000', petstore.url));
    const options =
      '--strict --noEmit --skipLibCheck --target es2024 --module esnext --moduleResolution bundler';
    const more = '--allowImportingTsExtensions --lib es2024,dom,dom.iterable';
    await node('node_modules/typescript/bin/tsc', ...`${options} ${more}`.split(' '), file);
    expect((await node(file)).stdout).toMatch(/^Ordered 2 of pet \d+; replayed: true\nKiwi\n$/);
  });
});

describe('the guide for callers', () => {
  const blocks = (language: string) =>
    [...guide.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))]
      .map(([, block]) => block!)
      .join('\n');
  const here = (text: string, petId: number) =>
    text
      .replaceAll(exampleTokenUrl, petstore.tokenUrl)
      .replaceAll(exampleUrl, petstore.url)
      .replaceAll('243719355140437', String(petId));

  withShell('has shell commands that get a token and place one order', async () => {
    const { id } = await stockedPet(petstore.staff, 5);
    const folder = tempFolder('guide');
    const shell = blocks('sh').replace(ofClient(guide), '');
    const script = `set -e\n${here(shell, id)}\necho\norder basket-4711 '{"petId":${id},"quantity":2}'`;
    const { stdout } = await execute('bash', ['-c', script], { env, cwd: folder });
    const [, first, again] = stdout.replace('[]', '[]\n').split('\n');
    expect(JSON.parse(first!)).toMatchObject({ petId: id, quantity: 2, complete: false });
    expect(again).toBe(first);
    expect((await petstore.staff('GET', `/store/inventory/${id}`)).body.quantity).toBe(3);
  });

  it('has the commands of the README for the typed client', () => {
    const ofReadme = ofClient(readme).replace('http://127.0.0.1:3000', exampleUrl);
    expect(ofClient(guide)).toBe(ofReadme);
  });

  it('has JavaScript that reads every page', async () => {
    const before = Date.now();
    const pets = [await stockedPet(petstore.staff, 1), await stockedPet(petstore.staff, 1)];
    const script = here(blocks('js'), 0).replace('limit=100', 'limit=1');
    const { stdout } = await node(
      '--input-type=module',
      '-e',
      `${script}\nconsole.log(Number(createdAt(${pets[0]!.id})))`,
    );
    for (const { id } of pets) expect(stdout).toContain(String(id));
    const createdAt = Number(stdout.trimEnd().split('\n').at(-1));
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(createdAt).toBeLessThanOrEqual(Date.now());
  });

  withShell(
    "has a shop's server, which places the order of a basket once, and keeps its customer",
    async () => {
      const { id } = await stockedPet(petstore.staff, 3);
      const setup = [...guide.matchAll(/```javascript\n(.*?)```/gs)]
        .slice(0, 2)
        .map(([, block]) => block);
      const folder = await clientFolder(petstore);
      const test = `
      const order = quantity => fetch('http://127.0.0.1:4199', {
        method: 'POST', headers: { authorization: 'zoe' }, body: JSON.stringify({ basket: 1, petId: ${id}, quantity }),
      });
      const [first, again, other] = [await order(2), await order(2), await order(9)];
      console.log(first.status, (await first.text()) === (await again.text()), other.status, await other.text());
      console.log([...customers.values()]);
      process.exit();`;
      const file = join(folder, 'server.mjs');
      writeFileSync(file, here([...setup, test].join('\n'), id).replace('4000', '4199'));
      expect((await node(file)).stdout).toBe(
        `201 true 422 {"code":"idempotency_key_reused"}\n[ 'zoe' ]\n`,
      );
    },
  );
});
