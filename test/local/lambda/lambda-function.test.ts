import { writeFile } from 'node:fs/promises';
import { close, open } from 'node:inspector';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../../cdk/files/temp-folder.ts';
import { createFunction } from '../../../cdk/local/lambda/lambda-function.ts';
import { logLine } from '../../../cdk/local/lambda/log-line.ts';
import { holdTimers } from '../../support/hold-timers.ts';

/** Seconds. */
const hour = 3_600;

/** `save` replaces the module. */
const functionOf = async (module: string, timeout = hour) => {
  const code = tempFolder('data');
  const save = (text: string) => writeFile(join(code, 'index.mjs'), text);
  await save(module);
  const settings = {
    handler: 'index.handler',
    timeout,
    memory: 128,
    environment: { A: 'b' },
    logLevel: 'info',
  } as const;
  const log: string[] = [];
  const definition = { name: 'slow', code, ...settings };
  const { invoke, reload, stop } = createFunction(definition, text => void log.push(text), 0);
  onTestFinished(stop);
  return { invoke, reload, stop, save, log };
};

afterEach(() => void vi.restoreAllMocks());

it('a function has its variables and two of Lambda, and logs from its level on', async () => {
  const { invoke, log } = await functionOf(`export const handler = async (_, { awsRequestId }) => {
    for (const level of ['debug', 'info', 'error']) console[level](awsRequestId);
    return { ...process.env };
  };`);
  const variables = {
    AWS_LAMBDA_FUNCTION_NAME: 'slow',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
    A: 'b',
  };
  expect(await invoke({})).toEqual(variables);
  const lines = log.map(line => JSON.parse(line));
  expect(lines.map(({ level, message, requestId }) => [level, message === requestId])).toEqual([
    ['INFO', true],
    ['ERROR', true],
  ]);
});

it('the timeout of a function does not include the start of its environment, and both timers end', async () => {
  const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  const { invoke } = await functionOf(`
    await new Promise(resolve => setTimeout(resolve, 100));
    const loadedAt = Date.now();
    export const handler = async (_, { getRemainingTimeInMillis }) => getRemainingTimeInMillis() + Date.now() - loadedAt;`);
  expect(await invoke({})).toBeGreaterThanOrEqual(hour * 1_000);
  // Vitest sets timers, too.
  const isOwn = (_: unknown, index: number) =>
    /did not load|timed out/.test(`${set.mock.calls[index]![0]}`);
  const timers = set.mock.results.filter(isOwn).map(({ value }) => value);
  const cleared = new Set<unknown>(clear.mock.calls.flat());
  expect(timers.map(timer => cleared.has(timer))).toEqual([true, true]);
});

it('the timeout of a function ends an environment whose module never loads', async () => {
  const timers = holdTimers(hour * 1_000);
  const { invoke, save } = await functionOf('await new Promise(() => undefined);');
  const never = expect(invoke({})).rejects.toThrow(`slow did not load within ${hour} s`);
  timers.fire();
  await never;
  await save("export const handler = async () => 'loaded';");
  expect(await invoke({})).toBe('loaded');
});

it('the timeout of a function ends the environment, and the next invocation starts another', async () => {
  const timers = holdTimers(hour * 1_000);
  const { invoke } = await functionOf(`
    let count = 0;
    export const handler = async event => (event.hang ? new Promise(() => undefined) : ++count);`);
  expect([await invoke({}), await invoke({})]).toEqual([1, 2]);
  timers.held.length = 0;
  const hanging = expect(invoke({ hang: true })).rejects.toThrow(`timed out after ${hour} s`);
  await expect.poll(() => timers.held.length).toBe(1);
  timers.fire();
  await hanging;
  expect(await invoke({})).toBe(1);
});

it('running invocations finish with the old code, and the next one has the new code', async () => {
  const { invoke, reload, save } = await functionOf(`export const handler = async ({ gate }) => {
    await Atomics.waitAsync(gate, 0, 0).value;
    return 'old';
  };`);
  const [opened, ...gates] = [1, 0, 0].map(state =>
    new Int32Array(new SharedArrayBuffer(4)).fill(state),
  );
  expect(await invoke({ gate: opened })).toBe('old');
  const running = gates.map(gate => invoke({ gate }));
  await save("export const handler = async () => 'new';");
  reload();
  expect(await invoke({})).toBe('new');
  const terminate = vi.spyOn(Worker.prototype, 'terminate');
  for (const [index, gate] of gates.entries()) {
    expect(terminate, 'of the old code').not.toHaveBeenCalled();
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    expect(await running[index]).toBe('old');
  }
  expect(terminate, 'of the old code').toHaveBeenCalledOnce();
});

it('a function that stops starts no thread', async () => {
  const { invoke, stop } = await functionOf('export const handler = async () => 7;');
  const stopping = stop();
  await expect(invoke({})).rejects.toThrow('slow has stopped');
  await stopping;
});

it('the timeout of a function does not end an environment while a debugger can be attached', async () => {
  open(0);
  const timers = holdTimers(60_000);
  const { invoke } = await functionOf('export const handler = async () => 7;', 60);
  expect(await invoke({})).toBe(7);
  expect(timers.held).toEqual([]);
  close();
});

const logged = (message: unknown, ...more: unknown[]) =>
  JSON.parse(logLine('error', 'r', message, ...more));

it('a log line has an object, or the text of what JSON does not support', () => {
  const timestamp = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(logged({ status: 200 })).toEqual({
    timestamp,
    level: 'ERROR',
    requestId: 'r',
    message: { status: 200 },
  });
  expect(logged(new TypeError('broken')).message).toMatch(/^TypeError: broken\n {4}at /);
  expect(logged('It is %s', 'broken', 7).message).toBe('It is broken 7');
  expect(logged({ units: 1n }).message).toBe('{ units: 1n }');
});
