import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { send, tokenOf } from '../support/http.ts';
import { type Client, clientOf } from '../support/petstore.ts';
import { copyProject } from '../support/project-copy.ts';
import { spawnNode } from '../support/spawn-node.ts';
import { uniquePort } from '../support/unique-port.ts';

const poll = <T>(read: () => T | Promise<T>) => expect.poll(read);

describe('npm run dev', () => {
  const folder = copyProject();
  let server: ReturnType<typeof spawnNode>;
  let staff: Client;
  let output = '';
  // The URL must be the same after a restart.
  const port = String(uniquePort());
  const url = `http://127.0.0.1:${port}`;

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
    server = spawnNode([join(folder, 'cdk/commands/dev.ts'), '--memory', '--port', port], {
      cwd: folder,
    });
    for (const stream of [server.stdout!, server.stderr!])
      stream.on('data', chunk => (output += chunk));
    await vi.waitFor(() => expect(output).toMatch(/^Petstore is ready at /m), 300_000);
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

  it('prints the line of a syntax error, serves the previous version, and reloads when it is fixed', async () => {
    await messageOf('/pets/1');
    save('functions/getPet.ts', 'export const', 'export cnst');
    await poll(() => output).toContain('not reloaded; the previous version is still served');
    expect(output).toMatch(/functions\/getPet\.ts:\d+:\d+/);
    expect(await messageOf('/pets/1')).toContain('No pet');
    save('functions/getPet.ts', 'export cnst', 'export const');
    save('lib/errors.ts', "'No pet has this id.'", "'No such pet.'");
    await poll(() => messageOf('/pets/1')).toBe('No such pet.');
  });

  it('serves a stack that a save changed, and the old one while its synthesis fails or it cannot be served', async () => {
    writeFileSync(join(folder, 'cdk/config/added.ts'), "export const added = 'neighbour';");
    save('cdk/config/settings.ts', 'rival: [', '[added]: [');
    save('cdk/config/settings.ts', 'import', "import { added } from './added.ts';\nimport");
    await poll(() => tokenOf(url, 'neighbour').catch(() => undefined)).toMatch(/^ey/);
    save('cdk/config/added.ts', 'neighbour', 'friend');
    await poll(() => tokenOf(url, 'friend').catch(() => undefined)).toMatch(/^ey/);
    expect(output, 'the code of a function is not in the template').not.toContain(
      'errors.ts: synthesized',
    );
    save('cdk/config/limits.ts', 'import', "throw new Error('a mistake in the stack');\nimport");
    await poll(() => output).toContain('a mistake in the stack');
    expect(await messageOf('/nowhere')).toBe('This path does not exist.');
    save('cdk/config/limits.ts', "throw new Error('a mistake in the stack');\n", '');
    save('cdk/stack/mock-methods.ts', 'Behavior.NEVER', 'Behavior.WHEN_NO_MATCH');
    await poll(() => output).toContain(
      'The local server supports only mocks with passthrough NEVER',
    );
    await poll(() => messageOf('/nowhere')).toBe('This path does not exist.');
    save('cdk/stack/mock-methods.ts', 'Behavior.WHEN_NO_MATCH', 'Behavior.NEVER');
  });

  it('restarts when the local server itself changes, and keeps data and tokens', async () => {
    save('cdk/local/launch.ts', 'process.exit(code)', 'process.abort()');
    await poll(() => output).toMatch(/launch\.ts: the local server itself[\s\S]*Petstore is ready/);
    // This server crashes when it ends, as Node may.
    save('cdk/local/launch.ts', 'Ctrl-C stops it.', 'Ctrl-C ends it.');
    await poll(() => output).toContain('Ctrl-C ends it.');
    save('cdk/local/launch.ts', 'process.abort()', 'process.exit(code)');
    await poll(() => output.split('Ctrl-C ends it.').length).toBe(3);
    // From the first line on, it misses no change.
    save('functions/listCategories.ts', 'x = 1;', 'x = 2;');
    await poll(() => output).toMatch(
      /Ctrl-C ends it\.[\s\S]*↻ listCategories\.ts: reloaded listCategories/,
    );
    expect(output).toContain('↻ launch.ts: the local server itself changed; it restarts');
    const before = await categories();
    expect(before).toBeGreaterThan(0);
    expect((await create()).status).toBe(201);
    expect(await categories()).toBe(before + 1);
  });

  it('waits for a fix when it cannot restart, and can be stopped while it waits', async () => {
    save(
      'cdk/local/launch.ts',
      'export const',
      "throw new Error('a mistake in the server');\nexport const",
    );
    await poll(() => output).toContain('waiting for a change that fixes it');
    expect(output).toContain('a mistake in the server');
    server.kill('SIGINT');
    await poll(() => server.exitCode).toBe(1);
  });
});
