import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { useProxy } from './aws/network.ts';

/** A wrong option or argument. The command also prints its usage. */
export class UsageError extends Error {}

/** Kinds of options. */
export const [flag, text] = [{ type: 'boolean', default: false }, { type: 'string' }] as const;

/** By a pattern of the name and message of an error or of a cause. The first match is chosen. */
const remedies: Readonly<Record<string, string>> = {
  // Only the AWS CLI asks for the code. The SDK ignores exported credentials if there is an AWS_PROFILE.
  'multi-factor authentication':
    'This command cannot ask for an MFA code. Run eval "$(aws configure export-credentials --format env)", then unset AWS_PROFILE.',
  'SSO session|aws sso login': 'Sign in: aws sso login --profile NAME',
  '^CredentialsProviderError':
    'No AWS credentials were found. Name a profile (AWS_PROFILE), or sign in.',
  '^ExpiredToken': 'The AWS credentials have expired. Sign in again.',
  '^ResourceNotFoundException':
    'It does not exist in this region and account. Check AWS_REGION, AWS_PROFILE and --table.',
  '^QueueDoesNotExist':
    'The queue does not exist in this region and account. Check AWS_REGION and AWS_PROFILE.',
  '^AccessDenied':
    'These credentials have no permission for this call (cdk/config/operator-permissions.ts).',
  'ENOTFOUND|EAI_AGAIN|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT':
    'If this network needs a proxy, name it: HTTPS_PROXY=http://HOST:PORT. Else check the region and the connection.',
  'ERR_PROXY_TUNNEL|HTTP Tunneling':
    'The proxy of HTTPS_PROXY refused this host. NO_PROXY names hosts without a proxy.',
  'CERT|self-signed|UNABLE_TO_':
    'If this network replaces certificates, name the file with its own: AWS_CA_BUNDLE=/path/to/certificates.pem',
  'not a response of AWS':
    'A proxy or a sign-in page of this network may have responded. Check HTTPS_PROXY and NO_PROXY.',
  'Region is missing': 'Name the region: AWS_REGION=eu-west-1',
};

const chainOf = (error: unknown): (Error & { code?: string })[] =>
  error instanceof Error ? [error, ...chainOf(error.cause)] : [];

const remedyOf = (error: unknown): string | undefined => {
  const texts = chainOf(error).map(({ name, message, code = '' }) => `${name}: ${message} ${code}`);
  return Object.entries(remedies).find(([pattern]) =>
    texts.some(text => new RegExp(pattern).test(text)),
  )?.[1];
};

/** The code of an error, for example `ECONNREFUSED`, replaces an empty message. */
const messageOf = (error: unknown): string =>
  [...new Set(chainOf(error).map(({ message, code, name }) => message || code || name))].join(': ');

/**
 * Reads the options of a command and runs it. If it throws, prints the messages of the error and its causes, and a known remedy.
 * @param unable the exit code of a failure. The audit, republish and the redrives use 2: their exit code 1 reports a result.
 */
export const commandOf = (ownUsage: string, { unable = 1 } = {}) => {
  useProxy();
  const usage = `${ownUsage}\n  --help           prints this`;
  const fail = (message: string): never => {
    console.error(message);
    process.exit(unable);
  };
  const misused = (message: string): never => fail(`${message}\n${usage}`);

  /** @param allowPositionals if false, `dry-run` without `--` is an error */
  const readOptions = <O extends ParseArgsOptionsConfig>(
    options: O,
    { allowPositionals = false } = {},
  ) => {
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

  /** A number from 1 to `most`. Any other value ends the command. */
  const count = (name: string, text: string, most = 999_999): number =>
    /^[1-9]\d{0,5}$/.test(text) && Number(text) <= most
      ? Number(text)
      : misused(`--${name} ${text} is not a number from 1 to ${most}.`);

  /** @param work can return an exit code; any other result means 0 @param what precedes the message, except of a UsageError */
  const run = async (work: () => Promise<unknown>, what?: string): Promise<void> => {
    try {
      const code = await work();
      process.exitCode = typeof code === 'number' ? code : 0;
    } catch (error) {
      if (error instanceof UsageError) misused(error.message);
      const message = messageOf(error);
      fail([what ? `${what}: ${message}` : message, remedyOf(error)].filter(Boolean).join('\n'));
    }
  };
  return { fail, misused, readOptions, count, run };
};
