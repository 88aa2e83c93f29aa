import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/** The channel closes whenever the parent ends. Without `unref`, it would keep the process alive. */
const endWithParent = "process.once('disconnect', () => process.exit(1)); process.channel.unref();";

/** Ends with this process, even if a test runner kills this one. */
export const spawnNode = (
  args: readonly string[],
  { stdio = 'pipe', ...options }: SpawnOptions = {},
): ChildProcess => {
  const streams = Array.isArray(stdio) ? stdio : Array(3).fill(stdio);
  const preload = `data:text/javascript,${encodeURIComponent(endWithParent)}`;
  const child = spawn(process.execPath, ['--import', preload, ...args], {
    ...options,
    stdio: [...streams, 'ipc'],
  });
  const kill = () => child.kill('SIGKILL');
  // A frozen process cannot notice the end of its channel.
  process.once('exit', kill);
  child.once('close', () => process.removeListener('exit', kill));
  return child;
};
