import { rmSync } from 'node:fs';

/**
 * `node end-with-parent.ts PID [FOLDER]` kills the process PID, the engine (the local DynamoDB), and deletes FOLDER, its
 * temporary database, when the parent process ends. Only the parent holds the standard input of this process open, so the input
 * closes when the parent ends in any way, also by SIGKILL and on Windows.
 */
const [pid, folder] = process.argv.slice(2);

process.stdin.resume().once('close', () => {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // The engine has ended already.
  }
  if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});
