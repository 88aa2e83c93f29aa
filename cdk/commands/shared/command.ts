import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** What is wrong with how a command was called; its message is for whoever called it, and the usage is shown beside it. */
export class WrongUse extends Error {}

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
 * What every command does alike: `--help` says its usage, what it is told is read, and whatever keeps it from its end is said
 * with what to do.
 * @param unable what it exits with when it could not do its work; 2 where 1 says what it has found
 */
export const commandOf = (usage: string, { unable = 1 } = {}) => {
  const fail = (message: string): never => {
    console.error(message);
    process.exit(unable);
  };
  /** Ends it: it was called in a wrong way. */
  const misused = (message: string): never => fail(`${message}\n${usage}`);

  /** @param allowPositionals whether words without dashes mean something; else they are a slip, such as `dry-run` */
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

  /** A number of an option, 1 … `most`. */
  const count = (name: string, text: string, most = 999_999): number =>
    /^[1-9]\d{0,5}$/.test(text) && Number(text) <= most
      ? Number(text)
      : misused(`--${name} ${text} is not a number from 1 to ${most}.`);

  /** @param work gives a number that the process exits with, if not with 0 @param what could not be done, when it fails */
  const run = async (work: () => Promise<unknown>, what?: string): Promise<void> => {
    try {
      const code = await work();
      process.exitCode = typeof code === 'number' ? code : 0;
    } catch (error) {
      const { name, message } = error as Error;
      if (error instanceof WrongUse) misused(message);
      fail(
        [what ? `${what}: ${message || name}` : message || name, remedyOf(error as Error)].filter(Boolean).join('\n'),
      );
    }
  };
  return { fail, misused, readOptions, count, run };
};
