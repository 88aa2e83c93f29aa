import { execFileSync } from 'node:child_process';

/** Prints a message if not, because tests are skipped. */
export const hasCommand = (name: string, version = '--version'): boolean => {
  try {
    execFileSync(name, [version], { stdio: 'ignore' });
    return true;
  } catch {
    console.log(`Skipped: tests that need the command ${name}, which is not installed.`);
    return false;
  }
};
