import { randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { loadSigningKey, type SigningKey } from '../../cdk/local/auth/signing-key.ts';
import { tokenPath } from '../../cdk/local/auth/tokens.ts';
import { connect, ensureTable } from '../../cdk/local/engine/table.ts';
import type { RequestLog } from '../../cdk/local/request-log.ts';
import { type ServerOptions, startServer } from '../../cdk/local/server.ts';
import type { AppOptions } from '../../cdk/synthesis/build-app.ts';
import type { Bundles } from '../../cdk/synthesis/bundle/bundle.ts';
import { synthesize } from '../../cdk/synthesis/synthesize.ts';
import { type Assembly, resourcesOf } from '../../cdk/synthesis/template.ts';
import { type AwsProxy, startAwsProxy } from './aws-proxy.ts';
import { writeReport } from './coverage-reports.ts';
import { compareWithDocument, type Exchange } from './documented.ts';
import { type DynamoDbProxy, type SharedDynamoDbProxy, shareDynamoDbProxy, type TableNames } from './dynamodb-proxy.ts';
import { send, tokenOf } from './http.ts';
import { allows, grantsOf, needsOf, textOf } from './permissions.ts';
import { processWide } from './process-wide.ts';
import { startRewritingProxy } from './rewriting-proxy.ts';
import { stages } from './stages.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of bodies
  readonly body: any;
  /** The body as received. */
  readonly text: string;
}

export interface Request {
  readonly headers?: Record<string, string>;
  /** Sent as JSON, unless it is a string. */
  readonly body?: unknown;
}

/** Calls the API as one client. */
export type Client = (method: string, path: string, request?: Request) => Promise<ApiResponse>;

export interface Petstore {
  readonly url: string;
  readonly tokenUrl: string;
  readonly proxy: DynamoDbProxy;
  readonly tokenKey: SigningKey;
  readonly anonymous: Client;
  readonly staff: Client;
  readonly shop: Client;
  readonly rival: Client;
  readonly withToken: (token: string | undefined) => Client;
  readonly recordExchange: RecordExchange;
  /** A token of a client, with all or some of its scopes. */
  readonly token: (client: string, ...scopes: string[]) => Promise<string>;
  readonly tableName: string;
  /** The log output of the functions, of the publisher, and of the sender of webhooks, in chunks. */
  readonly logs: string[];
  readonly publisherLogs: string[];
  readonly senderLogs: string[];
  /** Function → the permissions that it used. */
  readonly used: ReadonlyMap<string, Set<string>>;
  /** The proxy before the bus, the queues and the secrets. */
  readonly aws: AwsProxy;
  /** The errors of functions that failed. */
  readonly failures: unknown[];
  readonly stop: () => Promise<void>;
}

/** How long functions may run, and how long the gateway waits for them, in seconds. */
export interface Timeouts {
  readonly function: number;
  readonly gateway: number;
}

/**
 * Longer than in production, so that a pause of the machine of some seconds causes no timeout. A test about a budget sets
 * it; test/lib/model/table/retry.test.ts asserts the production values.
 */
const longTimeouts: Timeouts = { function: 25, gateway: 29 };
const longBudgets = { ATTEMPT_TIMEOUT_MS: '10000', RETRY_BUDGET_MS: '20000' };

const forTests = ({ template, assets }: Assembly, timeouts: Timeouts): Assembly => {
  const changed = structuredClone(template);
  for (const [, properties] of resourcesOf(changed, 'AWS::Lambda::Function')) properties.Timeout = timeouts.function;
  for (const [, { Integration }] of resourcesOf(changed, 'AWS::ApiGateway::Method'))
    if (Integration.TimeoutInMillis) Integration.TimeoutInMillis = timeouts.gateway * 1000;
  return { template: changed, assets };
};

export interface PetstoreOptions {
  /** Whether tokens are issued at a separate origin. */
  readonly ownTokenOrigin?: boolean;
  /** Whether change events are published; few tests need them. */
  readonly publishesEvents?: boolean;
  readonly assembly?: Assembly;
  /** A separate engine; by default all tests share one. */
  readonly endpoint?: string;
  /** The table of another petstore; by default each has its own. */
  readonly tableName?: string;
  readonly environment?: Record<string, string>;
  /** By default `longTimeouts`. */
  readonly timeouts?: Timeouts;
  /** Writes log output, in addition to what the petstore collects. */
  readonly requestLog?: RequestLog;
  /** Removes published stream records; by default they stay. */
  readonly trimStream?: ServerOptions['trimStream'];
}

/** The stack that the global setup synthesized. */
export const sharedAssembly = (): Assembly => ({ template: inject('template'), assets: new Map(inject('assets')) });

/** The bundles of the global setup, for a stack with other settings. */
export const sharedBundles = (): Bundles => {
  const { outdir, metafile } = inject('bundles');
  return { folderOf: id => join(outdir, id), metafile: JSON.parse(metafile) };
};

/** The context of a synthesis whose template refers to the bundles in place, without copies. */
export const inPlace = { 'aws:cdk:disable-asset-staging': true };

const syntheses = processWide('syntheses', () => new Map<string, Promise<Assembly>>());

/** The stack of a stage with some settings: synthesized once per process; each call returns a copy. */
export const synthesizeShared = async (options: Pick<AppOptions, 'stage' | 'settings'>): Promise<Assembly> => {
  // An undefined setting differs from an absent one.
  const key = JSON.stringify(options, (_, value) => value ?? null);
  const known = syntheses.get(key) ?? synthesize({ ...options, stages, bundles: sharedBundles(), context: inPlace });
  syntheses.set(key, known);
  const { template, assets } = await known;
  return { template: structuredClone(template), assets };
};

/** Compares an exchange with the OpenAPI document and records the response as tested. */
export type RecordExchange = (exchange: Exchange) => void;

export const clientOf =
  (url: string, token: string | undefined, recordExchange: RecordExchange = () => undefined): Client =>
  async (method, path, { headers = {}, body } = {}) => {
    const authorization: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const sent = { ...authorization, ...type, ...headers };
    const address = path.startsWith('http') ? path : url + path;
    const requestBody = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await send(address, { method, headers: sent, body: requestBody });
    const text = response.body.toString();
    const header = (name: string) => response.headers.get(name);
    const { status, headers: received } = response;
    recordExchange({ method, path: address.replace(url, ''), requestHeaders: sent, requestBody, status, header, text });
    const isJson = header('content-type')?.includes('json') && text !== '';
    return { status, headers: received, body: isJson ? JSON.parse(text) : text, text };
  };

/** What one test file observes of a stack: calls to DynamoDB, permissions, logs and failures. */
const openSession = (
  shared: SharedDynamoDbProxy,
  aws: AwsProxy,
  { template }: Assembly,
  names?: TableNames,
): Pick<Petstore, 'proxy' | 'used' | 'logs' | 'publisherLogs' | 'senderLogs' | 'failures'> => {
  const proxy = shared.begin(names);
  const grants = grantsOf(template);
  const used = new Map([...grants.keys()].map(id => [id, new Set<string>()]));
  proxy.denial = call => {
    const needs = needsOf(call);
    const denied = needs.find(need => !allows(grants.get(call.function), need));
    for (const need of needs) used.get(call.function)?.add(textOf(need));
    return denied && `${call.function} may not ${[textOf(denied), ...(denied.keys ?? [])].join(' ')}`;
  };
  aws.denial = proxy.denial;
  return { proxy, used, logs: [], publisherLogs: [], senderLogs: [], failures: [] };
};

/** Serves a stack, for one test file or for several in sequence. */
const serve = async ({
  assembly = sharedAssembly(),
  endpoint = inject('endpoint'),
  tableName = `petstore-${randomUUID()}`,
  environment = {},
  timeouts = longTimeouts,
  ownTokenOrigin = false,
  publishesEvents = false,
  requestLog,
  trimStream,
}: PetstoreOptions) => {
  const proxy = await shareDynamoDbProxy(endpoint);
  const aws = await startAwsProxy();
  const tokenKey = await loadSigningKey(inject('keys'));
  // Only the token endpoint of the server is called there, as at Cognito.
  const tokens = ownTokenOrigin ? await startRewritingProxy('') : undefined;
  const otherTokenUrl = tokens && { TOKEN_URL: tokens.url + tokenPath };
  let session = openSession(proxy, aws, assembly);
  const server = await startServer({
    assembly: forTests(assembly, timeouts),
    endpoint,
    signingKey: tokenKey,
    tableName,
    pollsStream: publishesEvents,
    environmentOf: ({ name, environment: local }) => {
      const { EVENTS_ENDPOINT: events, SECRETS_ENDPOINT: secrets, DEAD_LETTER_QUEUE_URL: queue } = local;
      aws.target = events ?? aws.target;
      const awsEnvironment = {
        ...(events && { EVENTS_ENDPOINT: aws.url }),
        ...(secrets && { SECRETS_ENDPOINT: aws.url }),
        ...(queue && { DEAD_LETTER_QUEUE_URL: queue.replace(new URL(queue).origin, aws.url) }),
      };
      const own = { DYNAMODB_ENDPOINT: proxy.url, AWS_ACCESS_KEY_ID: name };
      return { ...longBudgets, ...own, ...awsEnvironment, ...otherTokenUrl, ...environment };
    },
    report: error => session.failures.push(error),
    log: (text, id) => {
      if (id.startsWith('Events')) session.publisherLogs.push(text);
      else if (id.startsWith('Webhooks')) session.senderLogs.push(text);
      else session.logs.push(text);
      requestLog?.log(text);
    },
    ...(requestLog && { onResponse: requestLog.onResponse }),
    ...(trimStream && { trimStream }),
  });
  if (tokens) tokens.target = server.url;
  return {
    server,
    tokenUrl: otherTokenUrl?.TOKEN_URL ?? server.tokenUrl,
    tokenKey,
    tableName,
    aws,
    session: () => session,
    /** The next test file has its own table. */
    nextSession: (own: string) => {
      session = openSession(proxy, aws, assembly, { served: tableName, own });
    },
    stop: async () => {
      await server.stop();
      proxy.stop();
      aws.stop();
      tokens?.stop();
    },
  };
};

type Served = Awaited<ReturnType<typeof serve>>;

/** @param release is called when the tests are done with the stack */
const petstoreOf = async (
  { server, tokenUrl, tokenKey, aws, ...served }: Served,
  tableName: string,
  release: () => Promise<void>,
): Promise<Petstore> => {
  const session = served.session();
  const { origin: tokenOrigin } = new URL(tokenUrl);
  const token: Petstore['token'] = (client, ...scopes) => tokenOf(tokenOrigin, client, ...scopes);
  const documentedResponses = new Set<string>();
  const recordExchange: RecordExchange = exchange => {
    const comparison = compareWithDocument(exchange);
    if (comparison.response) documentedResponses.add(comparison.response);
    expect(comparison.problems, 'the response does not match cdk/openapi').toEqual([]);
  };
  const withToken = (value: string | undefined) => clientOf(server.url, value, recordExchange);
  const clientNamed = async (name: string) => withToken(await token(name));
  return {
    url: server.url,
    tokenUrl,
    ...session,
    tableName,
    tokenKey,
    token,
    withToken,
    recordExchange,
    aws,
    anonymous: withToken(undefined),
    staff: await clientNamed('staff'),
    shop: await clientNamed('shop'),
    rival: await clientNamed('rival'),
    stop: async () => {
      await release();
      const permissions = [...session.used].flatMap(([id, uses]) => [...uses].map(use => `${id}: ${use}`));
      const file = relative(process.cwd(), expect.getState().testPath!);
      await writeReport(inject('reports'), { file, permissions, responses: [...documentedResponses] });
    },
  };
};

/** Stacks that earlier test files of this process returned, by their options. */
const pool = processWide('pool', () => new Map<string, Served[]>());

/** Takes a stack from the pool, or serves a new one, with a new session and table. */
const borrowPetstore = async ({ tableName = `petstore-${randomUUID()}`, ...options }: Poolable): Promise<Petstore> => {
  const key = JSON.stringify(options);
  const idle = pool.get(key) ?? [];
  pool.set(key, idle);
  const served = idle.pop() ?? (await serve(options));
  const client = connect(inject('endpoint'));
  await ensureTable(client, inject('template'), tableName);
  client.destroy();
  served.nextSession(tableName);
  return petstoreOf(served, tableName, async () => void idle.push(served));
};

/** The options of a stack in the pool. */
const poolable = ['environment', 'tableName'] as const;
type Poolable = Pick<PetstoreOptions, (typeof poolable)[number]>;

/**
 * Serves a synthesized stack with its own table, behind a proxy that enforces the permissions of each function. With
 * options of the pool, the stack may have served other test files before.
 */
export const startPetstore = async (options: PetstoreOptions = {}): Promise<Petstore> => {
  if (Object.keys(options).every(name => (poolable as readonly string[]).includes(name)))
    return borrowPetstore(options);
  const served = await serve(options);
  return petstoreOf(served, served.tableName, served.stop);
};

/** A petstore for the tests of one file. A call without permission fails the file. */
export const usePetstore = (options?: PetstoreOptions): Petstore => {
  const petstore = {} as Petstore;
  beforeAll(async () => {
    Object.assign(petstore, await startPetstore(options));
  });
  afterAll(async () => {
    await petstore.stop();
    const denials = [...petstore.proxy.denials, ...petstore.aws.denials];
    expect(denials, 'calls without permission; see cdk/config/permissions.ts').toEqual([]);
    expect(petstore.failures, 'functions that failed').toEqual([]);
  });
  return petstore;
};
