import { rmSync } from 'node:fs';

/**
 * A process beside an engine: `node end-with-parent.ts PID [FOLDER]`. Only the parent holds the standard input of this process
 * open, so the input closes when the parent ends in any way, also by SIGKILL and on Windows. This process then kills the
 * engine, and deletes the folder of a temporary database.
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
