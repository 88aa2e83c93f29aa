import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/** The channel to the parent closes when the parent ends in any way. Without `unref`, the channel would keep the process alive. */
const endWithParent = "process.once('disconnect', () => process.exit(1)); process.channel.unref();";

/** Starts a Node process that ends with this one, also if a test runner kills this one. */
export const spawnNode = (args: readonly string[], { stdio = 'pipe', ...options }: SpawnOptions = {}): ChildProcess => {
  const streams = Array.isArray(stdio) ? stdio : Array(3).fill(stdio);
  const preload = `data:text/javascript,${encodeURIComponent(endWithParent)}`;
  const child = spawn(process.execPath, ['--import', preload, ...args], { ...options, stdio: [...streams, 'ipc'] });
  const kill = () => child.kill('SIGKILL');
  // A process that a test has frozen cannot notice the end of its channel.
  process.once('exit', kill);
  child.once('close', () => process.removeListener('exit', kill));
  return child;
};
