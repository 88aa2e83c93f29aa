import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as eventbridge from '@aws-sdk/client-eventbridge';
import * as secretsManager from '@aws-sdk/client-secrets-manager';
import * as sqs from '@aws-sdk/client-sqs';
import * as dynamodb from '@aws-sdk/lib-dynamodb';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { bundleOptions } from '../../cdk/bundle/bundle.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { classifyError } from '../../lib/model/table/classify-error.ts';
import { errorBody } from '../support/aws-json.ts';
import { serve } from '../support/http.ts';

/** As the server has received it. */
interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const key = { pk: 'PET#1', sk: 'PET' };
const TableName = 'pets';
const names = { '#name': 'name' };

const messageBody = '{"reason":"Zoë 🐈"}';
const queuePath = '/123456789012/DeadLetterQueue';

/** Of each command that functions send. Together they have all data types: maps, lists, sets, null, Unicode. */
const inputs: Readonly<Record<string, object>> = {
  GetCommand: { TableName, Key: key, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' },
  BatchGetCommand: {
    RequestItems: { [TableName]: { Keys: [key, { ...key, pk: 'PET#2' }], ConsistentRead: false } },
  },
  QueryCommand: {
    TableName,
    IndexName: 'all-1',
    KeyConditionExpression: '#name = :name',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ':name': 'Zoë 🐈', ':after': undefined },
    ScanIndexForward: false,
    Limit: 20,
  },
  TransactWriteCommand: {
    ClientRequestToken: 'b5b2ff2e-0d8c-4b9c-9d33-1f8c5a9b8f11',
    TransactItems: [
      {
        Put: {
          TableName,
          Item: { ...key, list: [1, 1.5, 'a', null, true], map: { a: {} }, set: new Set(['a']) },
        },
      },
      {
        Update: {
          TableName,
          Key: key,
          UpdateExpression: 'SET #name = :n',
          ExpressionAttributeNames: names,
        },
      },
      { Delete: { TableName, Key: key, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
      { ConditionCheck: { TableName, Key: key, ConditionExpression: 'attribute_not_exists(pk)' } },
    ],
    ReturnConsumedCapacity: 'TOTAL',
  },
  PutEventsCommand: {
    Entries: [
      {
        EventBusName: 'bus',
        Source: 'petstore',
        DetailType: 'a',
        Time: new Date(0),
        Detail: '{"name":"Zoë 🐈"}',
      },
      {
        EventBusName: 'bus',
        Source: 'petstore',
        DetailType: 'b',
        Time: new Date(1_700_000_000_000),
        Detail: '{}',
      },
    ],
  },
  SendMessageCommand: { QueueUrl: queuePath, MessageBody: messageBody },
  ChangeMessageVisibilityCommand: {
    QueueUrl: queuePath,
    ReceiptHandle: 'handle',
    VisibilityTimeout: 3_600,
  },
  GetSecretValueCommand: { SecretId: 'petstore/partner', VersionStage: 'AWSPREVIOUS' },
};

const environment = {
  TABLE_NAME: TableName,
  EVENT_BUS: 'bus',
  AWS_REGION: 'eu-central-1',
  AWS_LAMBDA_FUNCTION_NAME: 'getPet',
  AWS_ACCESS_KEY_ID: 'AKID',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'session',
  _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1',
};

/** Headers that only the unmodified SDK sends. They are removed before the SDK signs, so that both signatures cover the same headers. */
const onlyOfTheSdk = ['amz-sdk-invocation-id', 'amz-sdk-request', 'x-amz-user-agent'];
const withOurHeaders = (next: (args: object) => unknown) => (args: { request: SentRequest }) => {
  for (const name of onlyOfTheSdk) delete args.request.headers[name];
  return next(args);
};

/** Each client reads only its own fields. */
const success = JSON.stringify({
  MD5OfMessageBody: createHash('md5').update(messageBody).digest('hex'),
});
/** By default, a success. */
let given: { readonly status: number; readonly body: string } | undefined;

let next: (sent: SentRequest) => void;
const server = await serve((incoming, body, response) => {
  // The SDK would correct its clock by the Date of a response.
  response.sendDate = false;
  const { status, body: responseBody } = given ?? { status: 200, body: success };
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(responseBody);
  const headers = incoming.headers as SentRequest['headers'];
  next({ method: incoming.method!, path: incoming.url!, headers, body: String(body) });
});
const services = ['client', 'eventBridge', 'sqs', 'secretsManager'];
/** Clients and commands, by name. */
// biome-ignore lint/suspicious/noExplicitAny: the clients of several packages
type Sdk = Readonly<Record<string, any>>;
let ours: Sdk;
let plain: Sdk;
const senderOf = (name: string): string => {
  if (/Message/.test(name)) return 'sqs';
  if (name === 'GetSecretValueCommand') return 'secretsManager';
  return name === 'PutEventsCommand' ? 'eventBridge' : 'client';
};

beforeAll(async () => {
  const { url: endpoint } = server;
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  for (const name of ['DYNAMODB', 'EVENTS', 'SECRETS']) vi.stubEnv(`${name}_ENDPOINT`, endpoint);
  vi.stubEnv('DEAD_LETTER_QUEUE_URL', endpoint + queuePath);
  const outdir = tempFolder('clients');
  const entryPoints = [{ in: 'test/bundle/bundled-clients.ts', out: 'clients' }];
  await build({ ...bundleOptions([], outdir), entryPoints, sourcemap: false, write: true });
  // The clients read the environment when they are imported.
  ours = await import(pathToFileURL(join(outdir, 'clients.mjs')).href);
  const marshallOptions = { removeUndefinedValues: true };
  plain = {
    ...dynamodb,
    ...eventbridge,
    ...sqs,
    ...secretsManager,
    // One attempt, like our client. Retries would take seconds.
    client: dynamodb.DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, maxAttempts: 1 }), {
      marshallOptions,
    }),
    eventBridge: new eventbridge.EventBridgeClient({ endpoint }),
    secretsManager: new secretsManager.SecretsManagerClient({ endpoint }),
    sqs: new sqs.SQSClient({ endpoint, useQueueUrlAsEndpoint: false }),
  };
  const options = { relation: 'before', toMiddleware: 'httpSigningMiddleware', name: 'ourHeaders' };
  for (const service of services)
    plain[service].middlewareStack.addRelativeTo(withOurHeaders, options);
  // A signature contains the time.
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  for (const service of services) for (const by of [plain, ours]) by[service].destroy();
  server.stop();
});

const abortSignal = new AbortController().signal;
const sentFrom = async (by: Sdk, name: string): Promise<SentRequest> => {
  const { promise, resolve } = Promise.withResolvers<SentRequest>();
  next = resolve;
  await by[senderOf(name)].send(new by[name](inputs[name]), { abortSignal });
  return promise;
};

it.each(Object.keys(inputs))('%s is on the wire what the unmodified SDK sends', async name => {
  const [sent, expected] = [await sentFrom(ours, name), await sentFrom(plain, name)];
  // That of the SDK lists the features in use. No signature covers it.
  expected.headers['user-agent'] = expect.stringMatching(/^petstore\b/);
  expect(sent).toEqual(expected);
  expect(sent.headers).toMatchObject({
    'x-amzn-trace-id': environment._X_AMZN_TRACE_ID,
    'x-amz-security-token': 'session',
    authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKID\/.*Signature=\w{64}$/),
  });
});

const Item = { pk: { S: 'a' } };
const CancellationReasons = [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item }];
const errorNamed = (name: string, fields = {}) => JSON.stringify(errorBody(name, 'why', fields));

it.each<[what: string, errorClass: string, body: string, status?: number]>([
  [
    'a canceled transaction',
    'fatal',
    errorNamed('TransactionCanceledException', { CancellationReasons }),
  ],
  ['a failed condition', 'fatal', errorNamed('ConditionalCheckFailedException', { Item })],
  // Only calls that no function makes return this error, so the bundles have no class for it.
  ['an error of another call', 'fatal', errorNamed('LimitExceededException')],
  ['an unknown error', 'fatal', errorNamed('UnknownException')],
  ['throttling', 'retryable', errorNamed('ThrottlingException')],
  ['a transaction in progress', 'ambiguous', errorNamed('TransactionInProgressException')],
  ['an error of the server', 'ambiguous', errorNamed('InternalServerError'), 500],
  ['the HTML of a gateway', 'ambiguous', '<h1>Bad Gateway</h1>', 502],
  ['a 200 that is not JSON', 'ambiguous', '{"Item":', 200],
])('%s is the error of the unmodified SDK, and %s', async (_, errorClass, body, status = 400) => {
  onTestFinished(() => (given = undefined));
  given = { status, body };
  const errorOf = async (by: Sdk) => {
    const sending = sentFrom(by, 'TransactWriteCommand').then(() => expect.fail('no error'));
    const error = await sending.catch(error => error);
    const { name, message, $fault, CancellationReasons, Item, $metadata } = error;
    const fields = {
      name,
      message,
      $fault,
      CancellationReasons,
      Item,
      status: $metadata?.httpStatusCode,
    };
    return { ...fields, errorClass: classifyError(error) };
  };
  expect(await errorOf(ours)).toEqual({ ...(await errorOf(plain)), errorClass });
});

it('the compared commands include every command of lib and functions', () => {
  const root = join(import.meta.dirname, '../..');
  const used = globSync('{lib,functions}/**/*.ts', { cwd: root })
    .map(file => readFileSync(join(root, file), 'utf8'))
    .flatMap(text => [...text.matchAll(/new (\w+Command)\(/g)].map(([, command]) => command));
  expect([...new Set(used)].sort()).toEqual(Object.keys(inputs).sort());
});
