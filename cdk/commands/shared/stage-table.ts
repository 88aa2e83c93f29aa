import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { WrongUse } from './command.ts';
import { findTable } from './find-table.ts';
import { localClient } from './here.ts';
import { tableClient } from './table-client.ts';

/** The table that a command works on. */
export interface StageTable {
  readonly client: DynamoDBClient;
  readonly name: string;
  /** Of every index partition. */
  readonly shards: number;
  readonly endpoint: string;
  readonly region: string;
}

/** What names it, for `readOptions`. */
export const tableOptions = {
  stage: { type: 'string' },
  table: { type: 'string' },
  region: { type: 'string' },
  endpoint: { type: 'string' },
  shards: { type: 'string' },
} as const;

export const tableUsage = `  --stage NAME     the stage: dev, beta, prod; its table is found by its name
  --table NAME     or the table itself: the stack's output TableName; petstore-local on this machine. Beside --stage, another
                   table of that stage
  --region REGION  where it is (default: AWS_REGION)
  --endpoint URL   another DynamoDB, such as this machine's: curl -s http://127.0.0.1:3000/local names it
  --shards N       index shards of the table, needed where no stage says it: indexShards.read in cdk/config/settings.ts, which is 1
                   unless somebody raised it`;

type Named = { readonly [Name in keyof typeof tableOptions]?: string | undefined };

const settingsIn = async (stage: string) => {
  const { deployedStages, settingsOf } = await import('../../config/settings.ts');
  if (!deployedStages.includes(stage))
    throw new WrongUse(`There is no stage "${stage}". There are ${deployedStages.join(', ')}.`);
  return settingsOf(stage);
};

/** Connects to it. @throws {WrongUse} */
export const openTable = async ({ stage, table, region, endpoint, shards }: Named): Promise<StageTable> => {
  if (stage === undefined && table === undefined) throw new WrongUse('Of which stage? --stage NAME, or --table NAME');
  // Too few would hide orders, and what is hidden would be neither exported nor handed over.
  if (stage === undefined && shards === undefined)
    throw new WrongUse('How many index shards has that table? --shards N, or its stage beside it: --stage NAME');
  if (shards !== undefined && !/^[1-9]\d{0,2}$/.test(shards)) throw new WrongUse(`--shards ${shards} is no number.`);
  if (endpoint !== undefined && !URL.canParse(endpoint)) throw new WrongUse(`--endpoint ${endpoint} is no address.`);
  // The settings bring the CDK with them, which takes a second to load; a table that is named needs neither.
  const settings = stage === undefined ? undefined : await settingsIn(stage);
  const client = tableClient({ region: region ?? settings?.region, endpoint });
  const place = await client.config.region();
  return {
    client,
    name: table ?? (await findTable(client, stage!, settings!)),
    shards: shards === undefined ? settings!.indexShards.read : Number(shards),
    endpoint: endpoint ?? `https://dynamodb.${place}.amazonaws.com${place.startsWith('cn-') ? '.cn' : ''}`,
    region: place,
  };
};

/** Lets the model work on the table from here: it reads its environment when it is first imported, so that has to come later. */
export const serveModel = ({ name, endpoint, region, shards }: StageTable): void => {
  const isLocal = endpoint.startsWith('http:');
  Object.assign(process.env, {
    ...{ TABLE_NAME: name, DYNAMODB_ENDPOINT: endpoint, INDEX_SHARDS: String(shards), AWS_REGION: region },
    ...(isLocal && {
      AWS_ACCESS_KEY_ID: localClient.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: localClient.credentials.secretAccessKey,
    }),
  });
};
