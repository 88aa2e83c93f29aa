import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** A wrong option or argument. The command prints the message and its usage. */
export class UsageError extends Error {}

const accessDenied = 'These credentials have no permission for this call. --help lists the permissions of the command.';

const remedies: Readonly<Record<string, string>> = {
  CredentialsProviderError: 'No AWS credentials were found. Name a profile (--profile, AWS_PROFILE), or sign in.',
  ExpiredTokenException: 'The AWS credentials have expired. Sign in again.',
  ResourceNotFoundException: 'It does not exist in this region and account. Check --region, --profile and --table.',
  QueueDoesNotExist: 'The queue does not exist in this region and account. Check --region and --profile.',
  AccessDenied: accessDenied,
  AccessDeniedException: accessDenied,
  ECONNREFUSED: 'Nothing listens there. The endpoints of this machine: curl -s http://127.0.0.1:3000/local',
};

const remedyOf = ({ name, code, message }: Error & { code?: string }): string | undefined =>
  remedies[name] ??
  remedies[code ?? ''] ??
  (/region is missing/i.test(message) ? 'Name the region: --region eu-west-1, or AWS_REGION.' : undefined);

/**
 * The command line of a command: `--help` prints the usage, unknown options are errors, and an exception is printed as a
 * message with what to do.
 * @param unable the exit code of a failure; 2 for commands whose exit code 1 is a result
 */
export const commandOf = (usage: string, { unable = 1 } = {}) => {
  const fail = (message: string): never => {
    console.error(message);
    process.exit(unable);
  };
  /** Prints a message and the usage, and exits. */
  const misused = (message: string): never => fail(`${message}\n${usage}`);

  /** @param allowPositionals whether arguments without dashes are allowed; else `dry-run` is an error */
  const readOptions = <O extends ParseArgsOptionsConfig>(options: O, { allowPositionals = false } = {}) => {
    try {
      const help = { type: 'boolean', short: 'h' } as const;
      const read = parseArgs({ allowPositionals, options: { ...options, help } });
      const { values, positionals } = read as unknown as ReturnType<
        typeof parseArgs<{ options: O; allowPositionals: true }>
      >;
      if (!('help' in values)) return { values, positionals };
    } catch (error) {
      return misused((error as Error).message);
    }
    console.log(usage);
    process.exit(0);
  };

  /** The number of an option, from 1 to `most`. */
  const count = (name: string, text: string, most = 999_999): number =>
    /^[1-9]\d{0,5}$/.test(text) && Number(text) <= most
      ? Number(text)
      : misused(`--${name} ${text} is not a number from 1 to ${most}.`);

  /** @param work returns the exit code, if it is not 0 @param what precedes the message of an exception */
  const run = async (work: () => Promise<unknown>, what?: string): Promise<void> => {
    try {
      const code = await work();
      process.exitCode = typeof code === 'number' ? code : 0;
    } catch (error) {
      const { name, message } = error as Error;
      if (error instanceof UsageError) misused(message);
      fail(
        [what ? `${what}: ${message || name}` : message || name, remedyOf(error as Error)].filter(Boolean).join('\n'),
      );
    }
  };
  return { fail, misused, readOptions, count, run };
};
