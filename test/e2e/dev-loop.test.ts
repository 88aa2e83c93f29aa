import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { send, tokenOf } from '../support/http.ts';
import { type Client, clientOf } from '../support/petstore.ts';
import { copyProject } from '../support/project-copy.ts';
import { spawnNode } from '../support/spawn-node.ts';

const poll = <T>(read: () => T | Promise<T>) => expect.poll(read);

describe('npm run dev', () => {
  const folder = copyProject();
  let server: ReturnType<typeof spawnNode>;
  let staff: Client;
  let output = '';
  let url: string;
  const starts = () => output.split('Petstore is ready at').length - 1;
  const mistake = "throw new Error('a mistake in the server');\nexport const";

  /** Editors write a new file, and rename it to the old one. */
  const save = (name: string, from: string, to: string) => {
    const file = join(folder, name);
    const before = readFileSync(file, 'utf8');
    expect(before).toContain(from);
    writeFileSync(`${file}~`, before.replace(from, to));
    renameSync(`${file}~`, file);
  };
  const messageOf = async (path: string) =>
    (await clientOf(url, undefined)('GET', path).catch(() => undefined))?.body.message;
  const categories = async () => (await staff('GET', '/pets/categories')).body.length;
  const create = () => staff('POST', '/pets/categories', { body: { name: 'Cats' } });

  beforeAll(async () => {
    // That of `npm start`.
    save('cdk/synthesis/assembly-cache.ts', 'node_modules/.cache/petstore', 'cache');
    // Each process takes more than a second to end, in which esbuild expects a response.
    const slow = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);';
    save('cdk/files/temp-folder.ts', 'const removeAll = (): void => {', `$&\n${slow}`);
    const args = [join(folder, 'cdk/commands/dev.ts'), '--memory', '--port', '0'];
    server = spawnNode(args, { cwd: folder });
    for (const stream of [server.stdout!, server.stderr!])
      stream.on('data', chunk => (output += chunk));
    await vi.waitFor(() => expect(output).toMatch(/^Petstore is ready at \S+\n/m), 300_000);
    url = /ready at (\S+)/.exec(output)![1]!;
    staff = clientOf(url, await tokenOf(url));
    await create();
  });
  afterAll(async () => {
    if (server.kill()) await new Promise(resolve => server.once('exit', resolve));
  });

  it('reloads only the functions that a save changes, and names them', async () => {
    await categories();
    save('functions/listCategories.ts', 'export const', 'globalThis.x = 1;\nexport const');
    await poll(() => output).toMatch(
      /↻ .*listCategories\.ts.*: reloaded listCategories \(\d+ ms\)/,
    );
  });

  it.each([
    ['cdk/openapi/page.css', '/docs/page.css', 'body {'],
    ['cdk/openapi/page.js', '/docs/page.js', 'const '],
    ['cdk/openapi/page.html', '/docs', '<title>'],
    ['cdk/openapi/guide.md', '/docs/guide.md', '\n## '],
    ['cdk/openapi/openapi.json', '/openapi.json', '"description": "'],
    ['CHANGELOG.md', '/docs/changelog.md', '\n## '],
  ])('serves %s again when it was saved', async (file, path, found) => {
    save(file, found, `${found}/* ${path} */`);
    await poll(async () => (await send(url + path)).body.toString()).toContain(`/* ${path} */`);
  });

  it('serves the previous version while there is a syntax error, and prints its line', async () => {
    await messageOf('/pets/1');
    save('functions/getPet.ts', 'export const', 'export cnst');
    await poll(() => output).toContain('not reloaded; the previous version is still served');
    expect(output).toMatch(/functions\/getPet\.ts:\d+:\d+/);
    writeFileSync(join(folder, 'cdk/config/added.ts'), "export const added = 'neighbour';");
    save('cdk/config/settings.ts', 'rival: [', '[added]: [');
    save('cdk/config/settings.ts', 'import', "import { added } from './added.ts';\nimport");
    save('lib/errors.ts', "'No pet has this id.'", "'No such pet.'");
    await poll(() => output).toMatch(/errors\.ts.*: not reloaded/);
    expect(await messageOf('/pets/1')).toContain('No pet');
    save('functions/getPet.ts', 'export cnst', 'export const');
    await poll(() => messageOf('/pets/1')).toBe('No such pet.');
    await poll(() => tokenOf(url, 'neighbour').catch(() => undefined)).toMatch(/^ey/);
  });

  it('serves the old stack while a new one cannot be synthesized, served or loaded', async () => {
    const before = starts();
    save('cdk/config/added.ts', 'export', "throw new Error('a mistake in the stack');\nexport");
    await poll(() => output).toContain('a mistake in the stack');
    save('cdk/stack/mock-methods.ts', 'Behavior.NEVER', 'Behavior.WHEN_NO_MATCH');
    writeFileSync(join(folder, 'cdk/config/added.ts'), "export const added = 'friend';");
    await poll(() => output).toContain(
      'The local server supports only mocks with passthrough NEVER',
    );
    save('cdk/stack/mock-methods.ts', 'Behavior.WHEN_NO_MATCH', 'Behavior.NEVER');
    save('cdk/local/launch.ts', 'export const', 'export cnst');
    await poll(() => output).toMatch(/cdk\/local\/launch\.ts:\d+:\d+/);
    expect(await messageOf('/nowhere')).toBe('This path does not exist.');
    expect(starts()).toBe(before);
    expect(output).not.toContain('fatal error');
  });

  it('restarts when the local server itself changes or all is fixed, and keeps port, data and tokens', async () => {
    const before = await categories();
    expect(before).toBeGreaterThan(0);
    const count = starts();
    // This server crashes when it ends, as Node may.
    save('cdk/local/launch.ts', 'process.exit(code)', 'process.abort()');
    save('cdk/local/launch.ts', 'export cnst', 'export const');
    await poll(starts).toBe(count + 1);
    expect(await tokenOf(url, 'friend')).toMatch(/^ey/);
    save('cdk/local/launch.ts', 'export const', mistake);
    await poll(() => output).toMatch(
      /a mistake in the server[\s\S]*waiting for a change that fixes/,
    );
    save('cdk/local/launch.ts', 'process.abort()', 'process.exit(code)');
    save('cdk/local/launch.ts', mistake, 'export const');
    await poll(starts).toBe(count + 2);
    // From the first line on, it misses no change.
    save('functions/listCategories.ts', 'x = 1;', 'x = 2;');
    await poll(() => output.split('waiting for a change')[1]).toContain(
      '↻ listCategories.ts: reloaded listCategories',
    );
    expect((await create()).status).toBe(201);
    expect(await categories()).toBe(before + 1);
    expect(existsSync(join(folder, 'cache'))).toBe(false);
  });

  it('can be stopped while it waits for a fix', async () => {
    save('cdk/local/launch.ts', 'export const', mistake);
    await poll(() => output.split('waiting for a change').length).toBe(3);
    server.kill('SIGINT');
    await poll(() => server.exitCode).toBe(1);
  });
});
