import { rmSync } from 'node:fs';

/**
 * A process beside an engine: `node end-with-parent.ts PID [FOLDER]`. Its standard input is a pipe that only its parent holds
 * open, so it closes when the parent ends in any way, also by SIGKILL and also on Windows. Then it kills the engine and deletes
 * the folder of a database that should not outlast it.
 */
const [pid, folder] = process.argv.slice(2);

process.stdin.resume().once('close', () => {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It has ended.
  }
  if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});
