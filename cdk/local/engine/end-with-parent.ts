import { rmSync } from 'node:fs';

/**
 * `node end-with-parent.ts PID [FOLDER]` ends the engine (the local DynamoDB), whose process id is PID, when the parent process
 * ends. Only the parent holds the standard input of this process open. So the input closes when the parent ends in any way, also
 * by SIGKILL and on Windows. At that time, this process kills the engine and deletes FOLDER, the folder of a temporary database.
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
