import type { Origin } from '../../../lib/events/cloud-event.ts';
import {
  awsClient,
  localCredentials,
  localRegion,
  useLocalEndpoints,
} from '../../aws/aws-client.ts';
import { ofProfile, trustCaBundle } from '../../aws/network.ts';
import { note, text, UsageError } from '../../command.ts';
import { stages } from '../../stages.ts';

/** Credentials: AWS_PROFILE, as for the AWS CLI. */
export const deployedOptions = { stage: text, region: text };
export const deployedUsage = `  --stage NAME     the deployed stage, such as prod, in the account of AWS_PROFILE
  --region NAME    its region (default: as for cdk deploy)`;

export const stageOptions = { ...deployedOptions, local: text };
export const stageUsage = `${deployedUsage}
  --local URL      instead of --stage: a server of this machine, such as http://127.0.0.1:3000`;

/** The outputs of a stack; a local server also names its two endpoints. */
type Outputs = Readonly<Record<string, string | undefined>>;

export interface Stage {
  readonly name: string; // as in the settings and in events; `local` is a server of this machine
  readonly outputs: Outputs;
  /** Empty for a server of this machine. */
  readonly stackId: string;
  /** @throws when the stack has no such output, with the reason */
  readonly output: (name: string, reason?: string) => string;
}

/** Why a stack can lack an output. Every stack has all others. */
const reasons: Readonly<Record<string, string>> = {
  EventBusName: 'its setting `events` is off',
  EventsDeadLetterQueueUrl: 'its setting `events` is off',
};

const stageOf = (name: string, outputs: Outputs, where: string, stackId = ''): Stage => ({
  name,
  outputs,
  stackId,
  output: (key, reason = reasons[key] ?? 'deploy the version of this checkout first') => {
    const value = outputs[key];
    if (value !== undefined) return value;
    throw new Error(`${where} has no output ${key}: ${reason}.`);
  },
});

/** The source and generation of a stage's events come from the deployed stack, never from this checkout. */
export const originOf = ({ name, output }: Stage): Origin => ({
  source: `/petstore/${name}`,
  generation: Number(output('EventsGeneration')),
});

/** The values of options that are texts. */
export type Given<Options> = { readonly [Name in keyof Options]?: string | undefined };
type Named = Given<typeof deployedOptions>;

let printed: string | undefined;
/**
 * Returns the stack's name, and sets the region of the SDK, so call it before you create the first client. The region is that
 * of `cdk deploy`, unless `--region` names another. If one that counts less differs, prints both. @throws {UsageError} without a stage
 */
export const stackOf = ({ stage, region }: Named): string => {
  if (stage === undefined) throw new UsageError('Which stage? --stage NAME');
  const { env } = process;
  // Of the two, the SDK knows only the first.
  if (env.AWS_DEFAULT_PROFILE) env.AWS_PROFILE ??= env.AWS_DEFAULT_PROFILE;
  trustCaBundle();
  const named = Object.entries({
    '--region': region,
    'cdk/stages.ts': Object.hasOwn(stages, stage) ? stages[stage]!.region : undefined,
    AWS_REGION: env.AWS_REGION,
    AWS_DEFAULT_REGION: env.AWS_DEFAULT_REGION,
    'the profile': ofProfile('region'),
  }).filter(([, value]) => value);
  const [[source, chosen] = [], ...others] = named;
  if (stage !== printed) note(`Stage ${stage} in ${chosen ?? 'no region'}`);
  printed = stage;
  const other = others.find(([, value]) => value !== chosen);
  if (other) note(`Region ${chosen} (${source}), not ${other[1]} (${other[0]})`);
  if (chosen) env.AWS_REGION = chosen;
  return `petstore-${stage}`;
};

const readStack = async (named: Named & { readonly stage: string }): Promise<Stage> => {
  const StackName = stackOf(named);
  // This client takes a while to load, and commands for a local server do not need it.
  const { CloudFormationClient, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const client = awsClient(CloudFormationClient);
  const where = `The stack ${StackName} in ${await client.config.region()}`;
  const command = new DescribeStacksCommand({ StackName });
  const { Stacks: [stack] = [] } = await client.send(command).catch(error => {
    if (!/does not exist/.test(error.message)) throw error;
    throw new Error(
      `${where} does not exist. Check --stage, --region and the account (AWS_PROFILE).`,
    );
  });
  const { StackId = '', StackStatus, Outputs = [] } = stack ?? {};
  note(`Account ${StackId.split(':')[4]}`);
  const outputs = Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]);
  const deployed = `${where} (${StackStatus})`;
  return stageOf(named.stage, Object.fromEntries(outputs), deployed, StackId);
};

const readServer = async (url: string): Promise<Stage> => {
  const response = await fetch(`${url.replace(/\/$/, '')}/local`).catch(() => undefined);
  if (!response?.ok)
    throw new UsageError(`No local server responds at ${url}/local. Start one: npm start`);
  const outputs = (await response.json()) as Outputs;
  useLocalEndpoints({
    DynamoDBClient: outputs.DynamoDbEndpoint,
    EventBridgeClient: outputs.EventsEndpoint,
  });
  // For lib/model. AWS_PROFILE would take precedence over these credentials.
  delete process.env.AWS_PROFILE;
  const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } =
    localCredentials;
  Object.assign(process.env, { AWS_REGION: localRegion, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
  return stageOf('local', outputs, `The server at ${url}`);
};

/**
 * Call it before you create the first client of the SDK: it sets the region of a stage, or the endpoints of a local server.
 * @throws {UsageError} if none or both are named, or the server does not respond; another error if the stack cannot be read
 */
export const openStage = async ({ stage, region, local }: Given<typeof stageOptions>) => {
  if (stage !== undefined && local !== undefined)
    throw new UsageError('Either --stage or --local.');
  if (local !== undefined) return readServer(local);
  if (stage === undefined) throw new UsageError('Which stage? --stage NAME, or --local URL');
  return readStack({ stage, region });
};

/** `name` is the logical id without its hash. */
export const stackResourcesOf = async (named: Named) => {
  const StackName = stackOf(named);
  const { CloudFormationClient, paginateListStackResources } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const found: { type: string; name: string; physicalId: string }[] = [];
  const pages = paginateListStackResources(
    { client: awsClient(CloudFormationClient) },
    { StackName },
  );
  for await (const { StackResourceSummaries = [] } of pages)
    for (const {
      ResourceType: type = '',
      LogicalResourceId: id = '',
      PhysicalResourceId,
    } of StackResourceSummaries)
      found.push({ type, name: id.replace(/[0-9A-F]{8}$/, ''), physicalId: PhysicalResourceId! });
  return found;
};
