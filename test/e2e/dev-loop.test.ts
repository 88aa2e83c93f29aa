import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasCommand } from '../support/has-command.ts';
import { tokenOf } from '../support/processes.ts';
import { copyProject } from '../support/project-copy.ts';
import { uniquePort } from '../support/unique-port.ts';

const pollOptions = { timeout: 50_000, interval: 50 };
const hasSed = hasCommand('sed');

/** Saves as editors do: a new file replaces the old one by renaming. */
const replaceIn = (file: string, from: string, to: string) => {
  const before = readFileSync(file, 'utf8');
  expect(before).toContain(from);
  writeFileSync(`${file}~`, before.replace(from, to));
  renameSync(`${file}~`, file);
};

describe('npm run dev', () => {
  let project: Awaited<ReturnType<typeof copyProject>>;
  let server: ReturnType<typeof spawn>;
  let url: string;
  let token: string;
  let output = '';
  /** How often the output contains a text. */
  const times = (text: string | RegExp) => output.split(text).length - 1;
  const path = (file: string) => join(project.folder, file);
  const messageOf = async (address: string) => {
    const response = await fetch(url + address);
    return ((await response.json()) as { message: string }).message;
  };
  const create = async () => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/pets/categories`, { method: 'POST', headers, body: '{"name":"Cats"}' });
    expect(response.status).toBe(201);
  };
  const categories = async () => ((await (await fetch(`${url}/pets/categories`)).json()) as object[]).length;

  beforeAll(async () => {
    project = await copyProject();
    // Fixed, so that it is the same after a restart.
    const port = String(uniquePort());
    server = spawn(process.execPath, [path('cdk/commands/dev.ts'), '--memory', '--port', port], {
      cwd: project.folder,
    });
    server.stdout!.on('data', chunk => (output += chunk));
    server.stderr!.on('data', chunk => (output += chunk));
    await vi.waitFor(() => expect(output).toMatch(/^Petstore is ready at /m), pollOptions);
    url = `http://127.0.0.1:${port}`;
    token = await tokenOf(url);
    await create();
  });

  afterAll(async () => {
    if (server.kill()) await new Promise(resolve => server.once('exit', resolve));
    project.remove();
    await expect(fetch(url)).rejects.toThrow();
  });

  it.skipIf(!hasSed)('reloads at each of three saves that replace a file by renaming', async () => {
    for (const attempt of [1, 2, 3]) {
      const change = `s/No pet has this id[^']*/No pet has this id ${attempt}/`;
      execFileSync('sed', ['-i', change, path('lib/errors.ts')]);
      await expect.poll(() => messageOf('/pets/1'), pollOptions).toBe(`No pet has this id ${attempt}`);
    }
    expect(times(/↻ errors\.ts: reloaded .* \(\d+ ms\)/)).toBe(3);
  });

  it('reloads only the functions that a save changes, and names them', async () => {
    await categories();
    writeFileSync(
      path('functions/listCategories.ts'),
      `${readFileSync(path('functions/listCategories.ts'))}globalThis.x = 1;\n`,
    );
    await expect.poll(() => output, pollOptions).toMatch(/↻ .*listCategories\.ts.*: reloaded listCategories \(/);
  });

  it('prints the line of a syntax error, serves the previous version, and reloads when it is fixed', async () => {
    replaceIn(path('functions/getCategory.ts'), 'export const', 'export cnst');
    await expect.poll(() => output, pollOptions).toContain('not reloaded; the previous version is still served');
    expect(output).toMatch(/functions\/getCategory\.ts:\d+:\d+/);
    expect(await messageOf('/pets/categories/1')).toContain('No category');
    replaceIn(path('functions/getCategory.ts'), 'export cnst', 'export const');
    replaceIn(path('lib/errors.ts'), 'No category has this id.', 'No such category.');
    await expect.poll(() => messageOf('/pets/categories/1'), pollOptions).toBe('No such category.');
  });

  it('synthesizes again when a save under cdk/ or lib/ changes the stack', async () => {
    replaceIn(path('lib/errors.ts'), 'This path does not exist.', 'Nothing here.');
    await expect.poll(() => messageOf('/nowhere').catch(() => ''), pollOptions).toBe('Nothing here.');
    replaceIn(path('cdk/config/settings.ts'), 'rival: [', 'neighbour: [');
    await expect.poll(() => tokenOf(url, 'neighbour').catch(() => undefined), pollOptions).toMatch(/^ey/);
    // Printed a moment after it is served.
    await expect.poll(() => times('synthesized and served again'), pollOptions).toBeGreaterThanOrEqual(2);
  });

  it('keeps serving the old stack when the synthesis fails, and prints the error', async () => {
    replaceIn(path('cdk/config/limits.ts'), 'import', "throw new Error('a mistake in the stack');\nimport");
    await expect.poll(() => output, pollOptions).toContain('a mistake in the stack');
    expect(await messageOf('/nowhere')).toBe('Nothing here.');
    replaceIn(path('cdk/config/limits.ts'), "throw new Error('a mistake in the stack');\n", '');
  });

  it('restarts when the local server itself changes', async () => {
    replaceIn(path('cdk/local/banner.ts'), 'Ctrl-C stops it.', 'Ctrl-C ends it.');
    await expect.poll(() => output, pollOptions).toContain('Ctrl-C ends it.');
    expect(output).toContain('↻ banner.ts: the local server itself changed; it restarts');
  });

  it('keeps data and tokens', async () => {
    expect(await categories()).toBe(1);
    await create();
    expect(await categories()).toBe(2);
  });

  it('waits for a fix when it cannot restart, and can be stopped while it waits', async () => {
    replaceIn(path('cdk/local/banner.ts'), 'export const', "throw new Error('a mistake in the server');\nexport const");
    await expect.poll(() => output, pollOptions).toContain('waiting for a change that fixes it');
    expect(output).toContain('a mistake in the server');
    server.kill('SIGINT');
    await expect.poll(() => server.exitCode, pollOptions).toBe(1);
  });
});
