import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { spawnNode } from '../support/spawn-node.ts';

const module = join(import.meta.dirname, '../support/spawn-node.ts');
const waits = 'setInterval(() => undefined, 1_000);';
const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it.each([
  ['is killed', 'SIGKILL', ''],
  ['exits, and the child is frozen', undefined, "child.kill('SIGSTOP'); process.exit();"],
] as const)('a process of a test ends when the test worker %s', async (_, signal, end) => {
  const code = `
    import { spawnNode } from ${JSON.stringify(module)};
    const child = spawnNode(['-e', ${JSON.stringify(`console.log('started'); ${waits}`)}]);
    child.stdout.once('data', () => { console.log(child.pid); ${end || waits} });`;
  const worker = spawnNode(['--input-type=module', '-e', code]);
  const [pid] = await once(worker.stdout!.setEncoding('utf8'), 'data');
  if (signal) worker.kill(signal);
  await expect.poll(() => isRunning(Number(pid))).toBe(false);
});
