import type { ServerResponse } from 'node:http';
import type { Assembly } from '../assembly/synthesise.ts';
import { createLocalEvents, descriptionPath, feedPath } from './events/local-events.ts';
import { createFunctions } from './functions.ts';
import { readApi } from './gateway/api.ts';
import { createGateway } from './gateway/serve.ts';
import { addressOf, type Listener, listen, loopback, readBody, toGatewayRequest } from './http.ts';
import type { Journal } from './journal.ts';
import type { FunctionDefinition } from './lambda.ts';
import { connect, ensureTable, localRegion } from './table.ts';
import { createAuthoriser } from './tokens/authoriser.ts';
import { createTokenEndpoint, tokenPath } from './tokens/endpoint.ts';
import { createIssuer } from './tokens/issuer.ts';
import type { TokenKey } from './tokens/key.ts';

export interface ServerOptions {
  readonly assembly: Assembly;
  /** Where DynamoDB is. */
  readonly endpoint: string;
  /** 0 picks a free one. */
  readonly port?: number;
  /** The address to listen on; this machine alone by default. */
  readonly host?: string;
  readonly tableName?: string;
  /** Where is kept, between runs, what is not in the table; absent: nowhere. */
  readonly folder?: string | undefined;
  /** What signs the access tokens. */
  readonly tokenKey: TokenKey;
  /** Whether tokens are issued at an origin of their own, as Cognito's are; otherwise they are at a path of this server. */
  readonly ownTokenOrigin?: boolean;
  /** What a function's environment has instead of what it would have here; tests route it through proxies. */
  readonly environmentOf?: (definition: FunctionDefinition) => Record<string, string>;
  readonly report?: (error: unknown) => void;
  /** Is given what the functions log; by default it goes to stdout. */
  readonly log?: (text: string, functionId: string) => void;
  /** Whether the stream is read; it is, unless a test has nothing to do with what is told. */
  readonly followsStream?: boolean;
  /** Hears of every request that the gateway gets, and of its answer. */
  readonly arrive?: Journal['arrive'];
}

export interface Server {
  readonly url: string;
  /** Where tokens are issued. */
  readonly tokenUrl: string;
  /** Functions whose code lies in these folders run what lies there now. */
  readonly renew: (folders: ReadonlySet<string>) => void;
  /** The folders of the functions that somebody has called. */
  readonly inUse: () => ReadonlySet<string>;
  readonly stop: () => Promise<void>;
}

/** The issuer that Cognito would name; nothing is ever fetched from it. */
export const localIssuer = `https://cognito-idp.${localRegion}.amazonaws.com/${localRegion}_local`;

/** The name of the local table. */
export const localTableName = 'petstore-local';

/**
 * Serves a synthesised stack on the loopback interface, unless told otherwise: its routes, gateway responses, functions and table.
 * @throws when the port is taken or the template has something that is unknown here
 */
export const startServer = async (options: ServerOptions): Promise<Server> => {
  const {
    assembly,
    endpoint,
    tokenKey,
    host = loopback,
    port = 0,
    tableName = localTableName,
    folder,
    followsStream = true,
    ownTokenOrigin = false,
  } = options;
  const {
    environmentOf = () => ({}),
    report = console.error,
    log = (text: string) => process.stdout.write(text),
  } = options;
  const api = readApi(assembly);
  const client = connect(endpoint);
  await ensureTable(client, assembly.template, tableName);
  client.destroy();

  const answerToken = createTokenEndpoint(createIssuer(localIssuer, api.clients, tokenKey), tokenKey);
  const issuer = ownTokenOrigin
    ? await listen(
        async (request, response) => answerToken(request, (await readBody(request)).toString(), response),
        loopback,
        0,
        report,
      )
    : undefined;
  const events = createLocalEvents(assembly.template, { folder, report, log });
  const services =
    events &&
    (await listen(
      async (request, response) => events.answerCall(request, await readBody(request), response),
      loopback,
      0,
      report,
    ));
  const servicesUrl = `http://${loopback}:${services?.port}`;
  const eventsEnvironment = events?.environmentAt(servicesUrl) ?? {};
  const ownTokenUrl = issuer && `http://${loopback}:${issuer.port}${tokenPath}`;

  const surroundings = {
    endpoint,
    tableName,
    tokenUrl: ownTokenUrl ?? tokenPath,
    events: eventsEnvironment,
    environmentOf,
    log,
  };
  const functions = createFunctions(api, assembly.template, surroundings);
  const authorise = createAuthoriser(localIssuer, tokenKey.publicJwk);
  const gateway = createGateway(api, authorise, id => functions.get(id)!, report, options.arrive);

  /** What the commands that tell something again have to know. */
  const describe = (response: ServerResponse) => {
    const { EVENT_SOURCE, EVENTS_GENERATION, EVENT_BUS } = [...api.functions.values()].find(
      ({ environment }) => 'EVENT_BUS' in environment,
    )!.environment;
    const description = {
      DYNAMODB_ENDPOINT: endpoint,
      TABLE_NAME: tableName,
      EVENT_SOURCE,
      EVENTS_GENERATION,
      EVENT_BUS,
    };
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ ...description, ...eventsEnvironment, ...events?.deadLettersAt(servicesUrl) }));
  };

  const listener: Listener = async (request, response) => {
    const [path] = (request.url ?? '/').split('?');
    const body = await readBody(request);
    if (events && request.method === 'GET' && path === feedPath) return events.feed(response);
    if (events && request.method === 'GET' && path === descriptionPath) return describe(response);
    if (!issuer && (await answerToken(request, body.toString(), response))) return;
    const result = await gateway(toGatewayRequest(request, body, server.port));
    for (const [name, value] of result.headers) response.appendHeader(name, value);
    response.statusCode = result.status;
    response.end(result.body);
  };

  const server = await listen(listener, host, port, report);
  const url = `http://${addressOf(host)}:${server.port}`;
  let stopFollowing: (() => Promise<void>) | undefined;
  const stop = async () => {
    server.stop();
    issuer?.stop();
    const followed = stopFollowing?.();
    await Promise.all([...functions.values()].map(({ stop }) => stop()));
    await followed;
    services?.stop();
    events?.stop();
  };
  try {
    if (followsStream) stopFollowing = await events?.follow(id => functions.get(id)!, tableName, report);
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    url,
    tokenUrl: ownTokenUrl ?? url + tokenPath,
    renew: folders => {
      for (const { definition, renew } of functions.values()) if (folders.has(definition.code)) renew();
    },
    inUse: () =>
      new Set([...functions.values()].filter(({ inUse }) => inUse()).map(({ definition }) => definition.code)),
    stop,
  };
};
