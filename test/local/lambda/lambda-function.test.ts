import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { close, open } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createFunction } from '../../../cdk/local/lambda/lambda-function.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map(folder => rm(folder, { recursive: true }))));

const functionOf = async (module: string, initTimeout?: number) => {
  const code = await mkdtemp(join(tmpdir(), 'petstore-lambda-'));
  folders.push(code);
  await writeFile(join(code, 'index.mjs'), module);
  const definition = { name: 'slow', code, handler: 'index.handler', timeout: 1, memory: 128, environment: {} };
  const logLevel = 'info' as const;
  return createFunction({ ...definition, logLevel }, () => undefined, initTimeout);
};

describe('the timeout of a function', () => {
  it('does not include the start of its environment', async () => {
    const { invoke, stop } = await functionOf(`
      await new Promise(resolve => setTimeout(resolve, 1100));
      export const handler = async (_, context) => context.getRemainingTimeInMillis() > 0;`);
    expect(await invoke({})).toBe(true);
    await stop();
  });

  it('ends an environment whose module never loads, and the next invocation starts another', async () => {
    const module = `
      import { existsSync, writeFileSync } from 'node:fs';
      const marker = new URL('loaded-once', import.meta.url);
      const isFirst = !existsSync(marker);
      writeFileSync(marker, '');
      if (isFirst) await new Promise(() => undefined);
      export const handler = async () => 'loaded';`;
    const { invoke, stop } = await functionOf(module, 200);
    await expect(invoke({})).rejects.toThrow('slow did not load within 1.2 s');
    expect(await invoke({})).toBe('loaded');
    await stop();
  });

  it('ends the environment, and the next invocation starts another', async () => {
    const { invoke, stop } = await functionOf(`
      let count = 0;
      export const handler = async event => (event.hang ? new Promise(() => undefined) : ++count);`);
    expect([await invoke({}), await invoke({})]).toEqual([1, 2]);
    await expect(invoke({ hang: true })).rejects.toThrow('timed out after 1 s');
    expect(await invoke({})).toBe(1);
    await stop();
  });

  it('does not end an environment while a debugger can be attached', async () => {
    open(0);
    const { invoke, stop } = await functionOf(
      `export const handler = () => new Promise(resolve => setTimeout(resolve, 1200, 'done'));`,
    );
    expect(await invoke({})).toBe('done');
    close();
    await stop();
  });
});
