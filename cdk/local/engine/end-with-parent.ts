import { rmSync } from 'node:fs';

/**
 * Ends the engine (the local DynamoDB) with the process id PID when the parent process ends: `node end-with-parent.ts PID
 * [FOLDER]`. Only the parent holds the standard input of this process open. So the input closes when the parent ends in any way,
 * also by SIGKILL and on Windows. Then this process kills the engine, and deletes the folder of a temporary database.
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
