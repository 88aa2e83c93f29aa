import { UsageError } from './command.ts';

/** Options that name a deployed stage, for `readOptions`. */
export const deployedOptions = {
  stage: { type: 'string' },
  region: { type: 'string' },
  profile: { type: 'string' },
} as const;

/** Options that name a deployed stage or a server of this machine. */
export const stageOptions = { ...deployedOptions, local: { type: 'string' } } as const;
type StageOptions = { readonly [Name in keyof typeof stageOptions]?: string | undefined };

export const deployedUsage = `  --stage NAME     the deployed stage, such as prod; its stack petstore-NAME says everything else
  --region REGION  the region of the stack (default: AWS_REGION, or the region of the profile)
  --profile NAME   the profile with the credentials (default: AWS_PROFILE)`;
export const stageUsage = `${deployedUsage}
  --local URL      instead of --stage: a server of this machine, such as http://127.0.0.1:3000`;

/** The outputs of a stack by their names. A server of this machine has two more, which name its endpoints. */
export type Outputs = Readonly<Record<string, string | undefined>>;

export interface Stage {
  /** The name that its settings and its events have; `local` is a server of this machine. */
  readonly name: string;
  readonly outputs: Outputs;
  /** @throws when the stack has no such output, with the reason */
  readonly output: (name: string) => string;
}

/** Why a stack can be without an output. An output that is not here is in every stack. */
const reasons: Readonly<Record<string, string>> = {
  EventBusName: 'its setting `events` is off',
  EventsDeadLetterQueueUrl: 'its setting `events` is off',
  WebhookNames: 'it has no webhooks',
  WebhooksDeadLetterQueueUrl: 'it has no webhooks',
};

const stageOf = (name: string, outputs: Outputs, where: string): Stage => ({
  name,
  outputs,
  output: key => {
    const value = outputs[key];
    if (value === undefined)
      throw new Error(`${where} has no output ${key}: ${reasons[key] ?? 'deploy the version of this checkout first'}.`);
    return value;
  },
});

/** Directs every client of the SDK in this process, as the AWS CLI does with its options of the same names. */
export const useAccount = ({ region, profile }: Pick<StageOptions, 'region' | 'profile'>): void => {
  if (region) process.env.AWS_REGION = region;
  if (!profile) return;
  process.env.AWS_PROFILE = profile;
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']) delete process.env[name];
};

/** The name of a stage's stack. */
export const stackOf = (stage: string): string => `petstore-${stage}`;

const readStack = async (stage: string): Promise<Stage> => {
  // A local server needs no CloudFormation, whose client takes a while to load.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient();
  const where = `The stack ${stackOf(stage)} in ${await client.config.region()}`;
  const { Stacks: [stack] = [] } = await client
    .send(new DescribeStacksCommand({ StackName: stackOf(stage) }))
    .catch(error => {
      if (!/does not exist/.test(error.message)) throw error;
      throw new Error(
        `${where} does not exist. Check the name of the stage (--stage), the region (--region) and the account (--profile).`,
      );
    });
  const outputs = stack?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]) ?? [];
  return stageOf(stage, Object.fromEntries(outputs), `${where} (${stack?.StackStatus})`);
};

const readServer = async (url: string): Promise<Stage> => {
  const response = await fetch(`${url.replace(/\/$/, '')}/local`).catch(() => undefined);
  if (!response?.ok) throw new UsageError(`No local server responds at ${url}/local. Start one: npm start`);
  const outputs = (await response.json()) as Outputs;
  // Nobody checks these credentials. A profile would take precedence.
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, {
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    AWS_ENDPOINT_URL_DYNAMODB: outputs.DynamoDbEndpoint,
    ...(outputs.EventsEndpoint && { AWS_ENDPOINT_URL_EVENTBRIDGE: outputs.EventsEndpoint }),
  });
  return stageOf('local', outputs, `The server at ${url}`);
};

/**
 * Reads the outputs of a deployed stage, or of a server of this machine, and directs every client of the SDK there.
 * Call it before you create the first client.
 * @throws {UsageError}
 */
export const openStage = async ({ stage, region, profile, local }: StageOptions): Promise<Stage> => {
  if (local !== undefined) {
    if ([stage, region, profile].some(option => option !== undefined))
      throw new UsageError('--local names everything: leave --stage, --region and --profile out.');
    return readServer(local);
  }
  if (stage === undefined) throw new UsageError('Which stage? --stage NAME, or --local URL');
  useAccount({ region, profile });
  return readStack(stage);
};
