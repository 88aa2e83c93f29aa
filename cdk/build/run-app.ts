import { SettingsError } from '../config/validate.ts';

/**
 * Runs a CDK app. A SettingsError is printed without its stack trace. All users can read what it writes: the CDK keeps file
 * permissions in its zip files, and Lambda reads code as another user.
 */
export const runApp = async (synthesize: () => unknown): Promise<void> => {
  process.umask(0o022);
  try {
    await synthesize();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
};
