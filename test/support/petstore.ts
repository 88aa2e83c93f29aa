import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import type { Bundles } from '../../cdk/bundle/bundle.ts';
import { loadSigningKey } from '../../cdk/local/auth/signing-key.ts';
import { connect, ensureTable } from '../../cdk/local/engine/table.ts';
import { type ServerOptions, startServer } from '../../cdk/local/server.ts';
import type { AppOptions } from '../../cdk/synthesis/build-app.ts';
import { synthesize } from '../../cdk/synthesis/synthesize.ts';
import { type Assembly, resourcesOf } from '../../cdk/synthesis/template.ts';
import { type AwsProxy, startAwsProxy, type TableNames } from './aws-proxy.ts';
import { writeReport } from './coverage-reports.ts';
import { compareWithDocument, type Exchange } from './documented.ts';
import { send, tokenOf } from './http.ts';
import { allows, grantsOf, needsOf, textOf } from './permissions.ts';
import { processWide } from './process-wide.ts';
import { stages } from './stages.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of bodies
  readonly body: any;
  readonly text: string;
}

export interface Request {
  readonly headers?: Record<string, string>;
  /** Sent as JSON, unless it is a string. */
  readonly body?: unknown;
}

export type Client = (method: string, path: string, request?: Request) => Promise<ApiResponse>;

/**
 * In seconds, and so long that only a hang reaches them. Tests of a timeout set their own.
 * The golden text has those of the functions in production, test/cost/cost.test.ts that of the gateway.
 */
const longTimeouts = { function: 600, gateway: 700 };
type Timeouts = typeof longTimeouts;
const longBudgets = { ATTEMPT_TIMEOUT_MS: '300000', RETRY_BUDGET_MS: '500000' };

const forTests = ({ template, assets }: Assembly, timeouts: Timeouts): Assembly => {
  const changed = structuredClone(template);
  // The publisher retries until its timeout, and that of webhooks must be below the visibility timeout of their queue.
  for (const [id, properties] of resourcesOf(changed, 'AWS::Lambda::Function'))
    properties.Timeout = /^(Events|Webhooks)/.test(id)
      ? Math.min(timeouts.function, 25)
      : timeouts.function;
  for (const [, { Integration }] of resourcesOf(changed, 'AWS::ApiGateway::Method'))
    if (Integration.TimeoutInMillis) Integration.TimeoutInMillis = timeouts.gateway * 1000;
  return { template: changed, assets };
};

export interface PetstoreOptions {
  /** Few tests need this. */
  readonly publishesEvents?: boolean;
  readonly assembly?: Assembly;
  /** By default, all tests share an engine. */
  readonly endpoint?: string;
  /** By default, each petstore has its own table. */
  readonly tableName?: string;
  readonly environment?: Record<string, string>;
  readonly timeouts?: Timeouts;
  /** By default, published records stay in the stream. */
  readonly trimStream?: ServerOptions['trimStream'];
}

export const sharedAssembly = (): Assembly => ({
  template: inject('template'),
  assets: new Map(inject('assets')),
});

/** From the global setup, for any settings. */
export const sharedBundles = (): Bundles => {
  const { outdir, metafile } = inject('bundles');
  return { folderOf: id => join(outdir, id), metafile: JSON.parse(metafile) };
};

/** The template then refers to the bundles without copies. */
export const inPlace = { 'aws:cdk:disable-asset-staging': true };

const syntheses = processWide('syntheses', () => new Map<string, Promise<Assembly>>());

/** Synthesized once per process. Each call returns a copy. */
export const synthesizeShared = async (
  options: Pick<AppOptions, 'stage' | 'settings'>,
): Promise<Assembly> => {
  // An undefined setting differs from an absent one, but JSON has no `undefined`.
  const key = JSON.stringify(options, (_, value) => value ?? null);
  const known =
    syntheses.get(key) ??
    synthesize({ ...options, stages, bundles: sharedBundles(), context: inPlace });
  syntheses.set(key, known);
  const { template, assets } = await known;
  return { template: structuredClone(template), assets };
};

/** Compares an exchange with the document, and records that its response was tested. */
export type RecordExchange = (exchange: Exchange) => void;

export const clientOf =
  (
    url: string,
    token: string | undefined,
    recordExchange: RecordExchange = () => undefined,
  ): Client =>
  async (method, path, { headers = {}, body } = {}) => {
    const authorization = token !== undefined && { Authorization: `Bearer ${token}` };
    const sent = {
      ...authorization,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    };
    const address = path.startsWith('http') ? path : url + path;
    const requestBody =
      body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await send(address, { method, headers: sent, body: requestBody });
    const text = response.body.toString();
    const { status, headers: received } = response;
    const header = (name: string) => received.get(name);
    recordExchange({
      method,
      path: address.replace(url, ''),
      requestHeaders: sent,
      requestBody,
      status,
      header,
      text,
    });
    const isJson = header('content-type')?.includes('json') && text !== '';
    return { status, headers: received, body: isJson ? JSON.parse(text) : text, text };
  };

/** What one test file observes of a stack. */
const openSession = (
  proxy: AwsProxy,
  aws: AwsProxy,
  { template }: Assembly,
  names?: TableNames,
) => {
  proxy.reset(names);
  aws.reset();
  const grants = grantsOf(template);
  const used = new Map([...grants.keys()].map(id => [id, new Set<string>()]));
  proxy.denial = call => {
    const needs = needsOf(call);
    const denied = needs.find(need => !allows(grants.get(call.function), need));
    for (const need of needs) used.get(call.function)?.add(textOf(need));
    return (
      denied && `${call.function} may not ${[textOf(denied), ...(denied.keys ?? [])].join(' ')}`
    );
  };
  aws.denial = proxy.denial;
  const logs = { logs: [] as string[], publisherLogs: [] as string[], senderLogs: [] as string[] };
  return { proxy, used, ...logs, failures: [] as unknown[] };
};

/** Several files use a server one after the other. */
const serve = async ({
  assembly = sharedAssembly(),
  endpoint = inject('endpoint'),
  tableName = `petstore-${randomUUID()}`,
  environment = {},
  timeouts = longTimeouts,
  publishesEvents = false,
  trimStream,
}: PetstoreOptions) => {
  const proxy = await startAwsProxy(endpoint);
  const aws = await startAwsProxy();
  const tokenKey = await loadSigningKey(inject('keys'));
  let session = openSession(proxy, aws, assembly);
  const server = await startServer({
    assembly: forTests(assembly, timeouts),
    endpoint,
    signingKey: tokenKey,
    tableName,
    pollsStream: publishesEvents,
    environmentOf: ({ name, environment: local }) => {
      const awsEnvironment: Record<string, string> = {};
      for (const key of ['EVENTS_ENDPOINT', 'SECRETS_ENDPOINT', 'DEAD_LETTER_QUEUE_URL']) {
        if (!local[key]) continue;
        aws.target = new URL(local[key]).origin;
        awsEnvironment[key] = local[key].replace(aws.target, aws.url);
      }
      const own = { DYNAMODB_ENDPOINT: proxy.url, AWS_ACCESS_KEY_ID: name };
      return { ...longBudgets, ...own, ...awsEnvironment, ...environment };
    },
    report: error => session.failures.push(error),
    log: (text, id) => {
      const publisherOrApi = /^(Events|Webhooks)/.test(id) ? session.publisherLogs : session.logs;
      (id.startsWith('Webhooks') ? session.senderLogs : publisherOrApi).push(text);
    },
    ...(trimStream && { trimStream }),
  });
  return {
    server,
    tokenKey,
    tableName,
    aws,
    session: () => session,
    /** With its own table, for the next test file. */
    nextSession: (own: string) => {
      session = openSession(proxy, aws, assembly, { served: tableName, own });
    },
    release: async () => {
      await server.stop();
      proxy.stop();
      aws.stop();
    },
  };
};

/** A later test file reuses a server with the same `environment` and no other option. */
const pool = processWide('pool', () => new Map<string, Awaited<ReturnType<typeof serve>>[]>());

const take = async ({ tableName = `petstore-${randomUUID()}`, ...options }: PetstoreOptions) => {
  if (!inject('pooled') || Object.keys(options).some(name => name !== 'environment'))
    return serve({ tableName, ...options });
  const key = JSON.stringify(options);
  const idle = pool.get(key) ?? [];
  pool.set(key, idle);
  const served = idle.pop() ?? (await serve(options));
  const client = connect(inject('endpoint'));
  await ensureTable(client, inject('template'), tableName);
  client.destroy();
  served.nextSession(tableName);
  return { ...served, tableName, release: async () => void idle.push(served) };
};

/** With its own table and a proxy that enforces the permissions of each function. */
export const startPetstore = async (options: PetstoreOptions = {}) => {
  const {
    server,
    tokenKey,
    tableName,
    aws,
    session: currentSession,
    release,
  } = await take(options);
  const session = currentSession();
  const { url, tokenUrl } = server;
  /** @param scopes by default, all scopes of the client */
  const token = (client: string, ...scopes: string[]) => tokenOf(url, client, ...scopes);
  const documentedResponses = new Set<string>();
  const recordExchange: RecordExchange = exchange => {
    const comparison = compareWithDocument(exchange);
    if (comparison.response) documentedResponses.add(comparison.response);
    expect(comparison.problems, 'the response does not match cdk/openapi').toEqual([]);
  };
  const withToken = (value: string | undefined) => clientOf(url, value, recordExchange);
  const clientNamed = async (name: string) => withToken(await token(name));
  return {
    ...session,
    url,
    tokenUrl,
    tableName,
    tokenKey,
    token,
    withToken,
    recordExchange,
    /** A proxy of the bus, the queues and the secrets. */
    aws,
    anonymous: withToken(undefined),
    staff: await clientNamed('staff'),
    shop: await clientNamed('shop'),
    rival: await clientNamed('rival'),
    stop: async () => {
      await release();
      const permissions = [...session.used].flatMap(([id, uses]) =>
        [...uses].map(use => `${id}: ${use}`),
      );
      await writeReport(inject('reports'), { permissions, responses: [...documentedResponses] });
    },
  };
};

export type Petstore = Awaited<ReturnType<typeof startPetstore>>;

/** For one test file, which fails if a function makes a call without permission. */
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
