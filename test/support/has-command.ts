import { execFileSync } from 'node:child_process';

/** Whether this machine can run a command. A test that needs one says, when it is skipped, what is missing. */
export const hasCommand = (name: string, version = '--version'): boolean => {
  try {
    execFileSync(name, [version], { stdio: 'ignore' });
    return true;
  } catch {
    console.log(`Skipped: what needs the command ${name}, which is not installed.`);
    return false;
  }
};
