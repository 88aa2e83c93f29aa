/** Invalid settings or an unknown stage. The message is for a person, who needs no stack trace. */
export class SettingsError extends Error {}

/** Runs a CDK app. A SettingsError is printed without its stack trace. */
export const runApp = async (synthesize: () => unknown): Promise<void> => {
  try {
    await synthesize();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
};
