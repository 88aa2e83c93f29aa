import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import type { AppOptions } from '../../cdk/build/build-app.ts';
import type { Bundles } from '../../cdk/build/bundle/bundle.ts';
import { type Assembly, synthesize } from '../../cdk/build/synthesize.ts';
import { resourcesOf } from '../../cdk/build/template.ts';
import { loadSigningKey, type SigningKey } from '../../cdk/local/auth/signing-key.ts';
import { connect, ensureTable } from '../../cdk/local/engine/table.ts';
import type { RequestLog } from '../../cdk/local/request-log.ts';
import { type Server, startServer } from '../../cdk/local/server.ts';
import { type AwsProxy, startAwsProxy } from './aws-proxy.ts';
import { writeReport } from './coverage-reports.ts';
import { compareWithDocument, type Exchange } from './documented.ts';
import { type DynamoDbProxy, type SharedDynamoDbProxy, shareDynamoDbProxy, type TableNames } from './dynamodb-proxy.ts';
import { grantsOf, needsOf, textOf } from './permissions.ts';
import { processWide } from './process-wide.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert what bodies are
  readonly body: any;
  /** The body as it came. */
  readonly text: string;
}

export interface Request {
  readonly headers?: Record<string, string>;
  /** Sent as JSON, unless it is a string. */
  readonly body?: unknown;
}

/** Calls the API as one client. */
export type Client = (method: string, path: string, request?: Request) => Promise<Answer>;

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
  readonly witness: Witness;
  /** A token of a client, narrowed to some scopes. */
  readonly token: (client: string, ...scopes: string[]) => Promise<string>;
  readonly tableName: string;
  /** What functions logged, in pieces. */
  readonly logs: string[];
  /** What the function that tells changes logged, in pieces. */
  readonly tellingLogs: string[];
  /** Before the bus and the queue. */
  readonly aws: AwsProxy;
  /** What functions reported as failed. */
  readonly failures: unknown[];
  readonly stop: () => Promise<void>;
}

/** How long functions may run, and how long the gateway waits for them, in seconds. */
export interface Timeouts {
  readonly function: number;
  readonly gateway: number;
}

/**
 * Longer than in production: a machine that stands still for some seconds makes no function give up an attempt, nor a
 * request. A test about a budget sets it; test/lib/model/table/retry.test.ts holds the real figures.
 */
const patientTimeouts: Timeouts = { function: 25, gateway: 29 };
const patientBudgets = { ATTEMPT_TIMEOUT_MS: '10000', RETRY_BUDGET_MS: '20000' };

const withTimeouts = ({ template, assets }: Assembly, timeouts: Timeouts): Assembly => {
  const changed = structuredClone(template);
  for (const [, properties] of resourcesOf(changed, 'AWS::Lambda::Function')) properties.Timeout = timeouts.function;
  for (const [, { Integration }] of resourcesOf(changed, 'AWS::ApiGateway::Method'))
    if (Integration.TimeoutInMillis) Integration.TimeoutInMillis = timeouts.gateway * 1000;
  return { template: changed, assets };
};

export interface PetstoreOptions {
  /** Whether tokens are issued at an origin of their own. */
  readonly ownTokenOrigin?: boolean;
  /** Whether changes are told on the bus; only few tests look there. */
  readonly tells?: boolean;
  readonly assembly?: Assembly;
  /** An engine of its own; all share one otherwise. */
  readonly endpoint?: string;
  /** A table that another petstore has; it brings its own otherwise. */
  readonly tableName?: string;
  readonly environment?: Record<string, string>;
  /** Instead of the patient ones. */
  readonly timeouts?: Timeouts;
  /** Writes what happens, beside what the petstore keeps of it. */
  readonly requestLog?: RequestLog;
}

/** The stack that the run was set up with. */
export const sharedAssembly = (): Assembly => ({ template: inject('template'), assets: new Map(inject('assets')) });

/** The bundles that the run was set up with, for a stack with other settings. */
export const sharedBundles = (): Bundles => {
  const { outdir, metafile } = inject('bundles');
  return { folderOf: id => join(outdir, id), metafile: JSON.parse(metafile) };
};

/** The template names the code where it was bundled: nothing is copied. */
const inPlace = { 'aws:cdk:disable-asset-staging': true };

const syntheses = processWide('syntheses', () => new Map<string, Promise<Assembly>>());

/** The stack of a stage with some settings: synthesized once in this process, and a copy for each who asks. */
export const synthesizeShared = async (options: Pick<AppOptions, 'stage' | 'settings'>): Promise<Assembly> => {
  // A setting that is undefined is not one that is absent.
  const key = JSON.stringify(options, (_, value) => value ?? null);
  const known = syntheses.get(key) ?? synthesize({ ...options, bundles: sharedBundles(), context: inPlace });
  syntheses.set(key, known);
  const { template, assets } = await known;
  return { template: structuredClone(template), assets };
};

/** Compares an exchange with the OpenAPI document and remembers that it was seen. */
export type Witness = (exchange: Exchange) => void;

const noWitness: Witness = () => undefined;

export const clientOf =
  (url: string, token: string | undefined, witness: Witness = noWitness): Client =>
  async (method, path, { headers = {}, body } = {}) => {
    const authorization: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const sent = { ...authorization, ...type, ...headers };
    const address = path.startsWith('http') ? path : url + path;
    const requestBody = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(address, {
      method,
      headers: sent,
      ...(requestBody !== undefined && { body: requestBody }),
    });
    const text = await response.text();
    const header = (name: string) => response.headers.get(name);
    witness({
      method,
      path: address.replace(url, ''),
      requestHeaders: sent,
      requestBody,
      status: response.status,
      header,
      text,
    });
    const isJson = header('content-type')?.includes('json') && text !== '';
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text, text };
  };

/** What one test file sees of a stack: every call of its functions to DynamoDB, what they may do, and what they say. */
interface Session extends Pick<Petstore, 'proxy' | 'logs' | 'tellingLogs' | 'failures'> {
  /** Function → what it was seen to do of what its role grants. */
  readonly used: Map<string, Set<string>>;
}

const openSession = (
  shared: SharedDynamoDbProxy,
  aws: AwsProxy,
  { template }: Assembly,
  names?: TableNames,
): Session => {
  const proxy = shared.begin(names);
  const grants = grantsOf(template);
  const used = new Map([...grants.keys()].map(id => [id, new Set<string>()]));
  proxy.denial = call => {
    const needs = needsOf(call).map(textOf);
    const denied = needs.find(need => !grants.get(call.function)?.has(need));
    for (const need of needs) used.get(call.function)?.add(need);
    return denied && `${call.function} may not ${denied}`;
  };
  aws.denial = proxy.denial;
  return { proxy, used, logs: [], tellingLogs: [], failures: [] };
};

/** A stack that is served, for one test file or for several, one after the other. */
interface Served {
  readonly server: Server;
  readonly tokenKey: SigningKey;
  readonly tableName: string;
  readonly aws: AwsProxy;
  /** That of the file which has it now. */
  readonly session: Session;
  /** For the next file, which has a table of its own. */
  readonly nextSession: (tableName: string) => void;
  readonly stop: () => Promise<void>;
}

const serve = async ({
  assembly = sharedAssembly(),
  endpoint = inject('endpoint'),
  tableName = `petstore-${randomUUID()}`,
  environment = {},
  timeouts = patientTimeouts,
  ownTokenOrigin = false,
  tells = false,
  requestLog,
}: PetstoreOptions): Promise<Served> => {
  const proxy = await shareDynamoDbProxy(endpoint);
  const aws = await startAwsProxy();
  const tokenKey = await loadSigningKey();
  let session = openSession(proxy, aws, assembly);
  const server = await startServer({
    assembly: withTimeouts(assembly, timeouts),
    endpoint,
    signingKey: tokenKey,
    ownTokenOrigin,
    tableName,
    pollsStream: tells,
    environmentOf: ({ name, environment: local }) => {
      aws.target = local.EVENTS_ENDPOINT ?? aws.target;
      const awsEnvironment = local.EVENTS_ENDPOINT && {
        EVENTS_ENDPOINT: aws.url,
        DEAD_LETTER_QUEUE_URL: local.DEAD_LETTER_QUEUE_URL!.replace(local.EVENTS_ENDPOINT, aws.url),
      };
      return {
        ...patientBudgets,
        ...{ DYNAMODB_ENDPOINT: proxy.url, AWS_ACCESS_KEY_ID: name, ...awsEnvironment, ...environment },
      };
    },
    report: error => session.failures.push(error),
    log: (text, id) => {
      (id.startsWith('Events') ? session.tellingLogs : session.logs).push(text);
      requestLog?.log(text);
    },
    ...(requestLog && { onRequest: requestLog.onRequest }),
  });
  return {
    ...{ server, tokenKey, tableName, aws },
    get session() {
      return session;
    },
    nextSession: own => {
      session = openSession(proxy, aws, assembly, { served: tableName, own });
    },
    stop: async () => {
      await server.stop();
      await proxy.stop();
      await aws.stop();
    },
  };
};

/** @param release what is done with the stack at the end */
const petstoreOf = async (
  { server, tokenKey, aws, session }: Served,
  tableName: string,
  release: () => Promise<void>,
): Promise<Petstore> => {
  const { used, ...seenOfIt } = session;
  const token = async (client: string, ...scopes: string[]) => {
    const response = await fetch(server.tokenUrl, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${client}:local`)}` },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      }),
    });
    const { access_token: accessToken } = (await response.json()) as { access_token: string };
    return accessToken;
  };
  const seen = new Set<string>();
  const witness: Witness = exchange => {
    const verdict = compareWithDocument(exchange);
    if (verdict.seen) seen.add(verdict.seen);
    expect(verdict.problems, 'the answer is not as cdk/openapi documents it').toEqual([]);
  };
  const withToken = (value: string | undefined) => clientOf(server.url, value, witness);
  const [staff, shop, rival] = await Promise.all(
    ['staff', 'shop', 'rival'].map(async name => withToken(await token(name))),
  );
  return {
    url: server.url,
    tokenUrl: server.tokenUrl,
    ...seenOfIt,
    tableName,
    tokenKey,
    token,
    withToken,
    witness,
    aws,
    anonymous: withToken(undefined),
    staff: staff!,
    shop: shop!,
    rival: rival!,
    stop: async () => {
      await release();
      const permissions = [...used].flatMap(([id, uses]) => [...uses].map(use => `${id}: ${use}`));
      await writeReport(inject('reports'), { permissions, responses: [...seen] });
    },
  };
};

/** Stacks that other tests of this process have used and given back, by what they were served with. */
const pool = processWide('pool', () => new Map<string, Served[]>());

/** A stack from the pool, with a session and a table of its own; a new one while all are in use. */
const borrowPetstore = async ({ environment, tableName = `petstore-${randomUUID()}` }: Poolable): Promise<Petstore> => {
  const key = JSON.stringify(environment ?? {});
  const idle = pool.get(key) ?? [];
  pool.set(key, idle);
  const served = idle.pop() ?? (await serve(environment ? { environment } : {}));
  const client = connect(inject('endpoint'));
  await ensureTable(client, inject('template'), tableName);
  client.destroy();
  served.nextSession(tableName);
  return petstoreOf(served, tableName, async () => void idle.push(served));
};

/** What a stack of the pool can differ in. */
type Poolable = Pick<PetstoreOptions, 'environment' | 'tableName'>;
const poolable = ['environment', 'tableName'];

/**
 * Serves a synthesized stack with a table of its own, behind a proxy that enforces each function's permissions. The stack of
 * the run, with any environment, may have served other tests before.
 */
export const startPetstore = async (options: PetstoreOptions = {}): Promise<Petstore> => {
  if (Object.keys(options).every(name => poolable.includes(name))) return borrowPetstore(options);
  const served = await serve(options);
  return petstoreOf(served, served.tableName, served.stop);
};

/** A petstore for the tests of one file. A call that its function has no permission for fails the file. */
export const usePetstore = (options?: PetstoreOptions): Petstore => {
  const petstore = {} as Petstore;
  beforeAll(async () => {
    Object.assign(petstore, await startPetstore(options));
  });
  afterAll(async () => {
    await petstore.stop();
    const denials = [...petstore.proxy.denials, ...petstore.aws.denials];
    expect(denials, 'calls beyond the permissions of the function; see cdk/config/permissions.ts').toEqual([]);
    expect(petstore.failures, 'functions that failed').toEqual([]);
  });
  return petstore;
};
