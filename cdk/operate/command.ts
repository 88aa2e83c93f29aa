import { type ParseArgsConfig, parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What the commands of an operator do alike. Each says first what it would do and what that costs; `--yes` lets it. */

export const fail = (message: string): never => {
  console.error(message);
  process.exit(1);
};

/** What the command line says. Says the usage and ends when that is asked for, or something that there is not. */
export const readOptions = <O extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: O,
  args: readonly string[] = process.argv.slice(2),
) => {
  const { values, positionals } = (() => {
    try {
      const config = { args: [...args], options, allowPositionals: true } as const;
      if (args.some(argument => argument === '--help' || argument === '-h'))
        return { values: undefined, positionals: [] };
      return parseArgs<typeof config>(config);
    } catch (error) {
      return fail(`${(error as Error).message}\n${usage}`);
    }
  })();
  if (values) return { values, positionals: positionals as string[] };
  console.log(usage);
  process.exit(0);
};

/** Where a stage's table is: by default where the credentials of whoever runs the command lead. */
export interface Place {
  readonly region?: string | undefined;
  /** Another DynamoDB, such as this machine's, which checks no credentials. */
  readonly endpoint?: string | undefined;
}

export const local = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

export const connect = ({ region, endpoint }: Place): DynamoDBClient =>
  // Beyond its maximum units a stage's table throttles, and a command can wait.
  new DynamoDBClient({ maxAttempts: 10, ...(region && { region }), ...(endpoint && { endpoint, ...local }) });

const remedies: Readonly<Record<string, string>> = {
  CredentialsProviderError: 'There are no AWS credentials here: set AWS_PROFILE, or sign in.',
  ResourceNotFoundException: 'There is no such table there: --region says where it is, --table NAME what it is called.',
  AccessDeniedException:
    'These credentials may not do that; cdk/README.md, "A year in production", says what each command needs.',
  ECONNREFUSED: 'Nothing answers there. This machine’s DynamoDB is named by curl -s http://127.0.0.1:3000/local',
};

/** Runs a command to its end; what keeps it from that is said with what to do. */
export const runCommand = async (what: string, command: () => Promise<void>): Promise<void> => {
  try {
    await command();
  } catch (error) {
    const { name, code, message } = error as Error & { code?: string };
    const remedy =
      remedies[name] ??
      remedies[code ?? ''] ??
      (/region is missing/i.test(message) ? 'Say where: --region eu-west-1, or AWS_REGION.' : undefined);
    fail(`${what}: ${message || name}${remedy ? `\n${remedy}` : ''}`);
  }
};
