import { AsyncLocalStorage } from 'node:async_hooks';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { useProxy } from './aws/network.ts';

/** What the caller can correct by typing something else. */
export class UsageError extends Error {}

/** What a command gets from its caller. */
export interface Caller {
  /** Variables of this project and of npm. The SDK reads its own from the process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Writes a line to stdout. */
  readonly print: (line: string) => void;
  /** Writes a line to stderr. */
  readonly note: (line: string) => void;
}

const callers = new AsyncLocalStorage<Caller>();
const ofProcess: Caller = {
  environment: process.env,
  now: Date.now,
  print: line => console.log(line),
  note: line => console.error(line),
};
/** Of the command that runs; without one, this process. */
export const caller = (): Caller => callers.getStore() ?? ofProcess;
export const print = (line: string): void => caller().print(line);
export const note = (line: string): void => caller().note(line);
export const now = (): number => caller().now();

/** @returns the exit code */
export type Command = (args: readonly string[], caller: Caller) => Promise<number>;

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
  'uv_os_homedir|uv_os_get_passwd': 'This user has no home folder. Name one: HOME=/tmp',
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

interface Definition<Options> {
  /** The first line is the form of the command. */
  readonly usage: string;
  readonly options: Options;
  /** The most arguments that are no options; none by default. */
  readonly most?: number;
  /** Precedes the message of a failure, except of a UsageError. */
  readonly failure?: string;
  /** The exit code of a failure, 1 by default. The audit, republish and the redrives use 2: their exit code 1 reports a result. */
  readonly unable?: number;
}
export type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values'];

/** `npm run seed` has the usage of the import. */
const formOf = (usage: string): string => {
  const { npm_lifecycle_event: script } = caller().environment;
  const [form = ''] = usage.split('\n');
  return script === 'seed' ? form.replace('import -- FILE', script) : form;
};

/**
 * npm takes options without `--` before them for itself, and passes on only their values. A variable is left of each, such as
 * `npm_config_dry_run=true` (recorded from npm 11 and 12). `yes` is npm's own, and a command without it only does less.
 */
const refuseTaken = (usage: string, options: object, given: ReadonlySet<string>): void => {
  const { environment } = caller();
  const taken = Object.keys(options)
    .filter(name => name !== 'yes' && !given.has(name))
    .filter(name => environment[`npm_config_${name.replaceAll('-', '_')}`])
    .map(name => `--${name}`);
  if (taken.length === 0) return;
  throw new UsageError(
    `npm took ${taken.join(' and ')} for itself, and nothing was done. Type -- before options: ${formOf(usage)} (with an older npm in PowerShell: npm.cmd)`,
  );
};

/** @throws {UsageError} for what npm took @throws {TypeError} for a wrong option */
const parse = (usage: string, options: ParseArgsOptionsConfig, args: readonly string[]) => {
  const config = { args: [...args], options, allowPositionals: true };
  const { tokens } = parseArgs({ ...config, strict: false, tokens: true });
  refuseTaken(
    usage,
    options,
    new Set(tokens.flatMap(token => (token.kind === 'option' ? token.name : []))),
  );
  return parseArgs(config);
};

const helpLine = '  --help           prints this';

/**
 * A command as a function of its arguments and its caller. If it throws, it prints the messages of the error and of its causes,
 * and a known remedy.
 * @param work can return an exit code; any other result means 0
 */
export const commandOf =
  <Options extends ParseArgsOptionsConfig>(
    { usage, options, most = 0, failure, unable = 1 }: Definition<Options>,
    work: (values: Values<Options>, args: string[]) => Promise<unknown> | unknown,
  ): Command =>
  (args, caller) =>
    callers.run(caller, async () => {
      useProxy();
      const fail = (...lines: (string | undefined)[]): number => {
        note(lines.filter(Boolean).join('\n'));
        return unable;
      };
      try {
        const help = { type: 'boolean', short: 'h' } as const;
        const { values, positionals } = parse(usage, { ...options, help }, args);
        if (values.help) {
          print(`${usage}\n${helpLine}`);
          return 0;
        }
        const extra = positionals.slice(most).join(' ');
        if (extra) throw new UsageError(`${extra}: too many arguments for ${formOf(usage)}`);
        const code = await work(values as Values<Options>, positionals);
        return typeof code === 'number' ? code : 0;
      } catch (error) {
        const message = messageOf(error);
        if ((error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS'))
          return fail(usage, helpLine, message);
        if (error instanceof UsageError) return fail(message, '--help prints the options.');
        return fail(failure ? `${failure}: ${message}` : message, remedyOf(error));
      }
    });

/** Runs a command as this process. @param onClosed called when nobody reads its output any more; it ends by default */
export const runMain = async (
  command: Command,
  onClosed: () => void = () => process.exit(1),
): Promise<void> => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onClosed);
  process.exitCode = await command(process.argv.slice(2), ofProcess);
  // What a failed command began, such as other requests, ends with it.
  if (process.exitCode > 0) process.exit();
};

/** A number from 1 to `most`. @throws {UsageError} */
export const count = (name: string, text: string, most = 999_999): number => {
  if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`--${name} ${text} is not a number from 1 to ${most}.`);
};
