import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Assembly } from '../assembly/synthesise.ts';
import { onlyResourceOf } from '../assembly/template.ts';
import { createLocalEvents, descriptionPath, feedPath } from './events/local-events.ts';
import { readApi } from './gateway/api.ts';
import { createGateway, maxPayload } from './gateway/serve.ts';
import type { Journal } from './journal.ts';
import { createFunction, type FunctionDefinition, type LambdaFunction } from './lambda.ts';
import { connect, ensureTable, localCredentials, localRegion } from './table.ts';
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
  readonly stop: () => Promise<void>;
}

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    // One byte too many is enough to be refused; the rest is read and dropped.
    if (length <= maxPayload + 1) chunks.push(chunk);
    else if (chunks.length > 0 && length - chunk.length <= maxPayload)
      chunks.push(chunk.subarray(0, maxPayload + 1 - (length - chunk.length)));
  }
  return Buffer.concat(chunks);
};

const pairs = (rawHeaders: readonly string[]): [string, string][] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, index) => [rawHeaders[2 * index]!, rawHeaders[2 * index + 1]!]);

/** The issuer that Cognito would name; nothing is ever fetched from it. */
export const localIssuer = `https://cognito-idp.${localRegion}.amazonaws.com/${localRegion}_local`;

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** The client went away, or this server has a defect: API Gateway would say 500. */
const listen = async (listener: Listener, host: string, port: number, report: (error: unknown) => void) => {
  const server = createServer((request, response) => {
    listener(request, response).catch(error => {
      report(error);
      response.destroy();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, stop };
};

const loopback = '127.0.0.1';

/** How this machine's own clients address what listens there: one that listens everywhere listens on the loopback interface too. */
const addressOf = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return loopback;
  return host.includes(':') ? `[${host}]` : host;
};

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
  const events = createLocalEvents(assembly.template, folder);
  const services =
    events &&
    (await listen(
      async (request, response) => events.answerCall(request, await readBody(request), response),
      loopback,
      0,
      report,
    ));
  const eventsEnvironment = events?.environmentAt(`http://${loopback}:${services!.port}`) ?? {};
  const ownTokenUrl = issuer && `http://127.0.0.1:${issuer.port}${tokenPath}`;

  // The template's names stand for physical ones; the table's is the one that functions hand to DynamoDB.
  const [tableId] = onlyResourceOf(assembly.template, 'AWS::DynamoDB::GlobalTable');
  const physical = (environment: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, value === tableId ? tableName : value]),
    );
  const functions = new Map<string, LambdaFunction>(
    [...api.functions].map(([id, definition]) => {
      const local = {
        ...physical(definition.environment),
        ...('EVENT_BUS' in definition.environment && eventsEnvironment),
        AWS_REGION: localRegion,
        AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
        DYNAMODB_ENDPOINT: endpoint,
        ...('TOKEN_URL' in definition.environment && { TOKEN_URL: ownTokenUrl ?? tokenPath }),
      };
      const environment = { ...local, ...environmentOf({ ...definition, environment: local }) };
      return [id, createFunction({ ...definition, environment }, text => log(text, id))];
    }),
  );
  const authorise = createAuthoriser(localIssuer, tokenKey.publicJwk);
  const gateway = createGateway(api, authorise, id => functions.get(id)!, report, options.arrive);

  /** As the client addressed it; browsers leave port 80 out, by which functions know plain http. */
  const hostOf = ({ headers: { host = '' } }: IncomingMessage): string => {
    if (!/^(\[[\da-f:]+\]|[\w.-]+)(:\d+)?$/i.test(host)) return `127.0.0.1:${server.port}`;
    return /:\d+$/.test(host) || server.port !== 80 ? host : `${host}:80`;
  };

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
      .end(JSON.stringify({ ...description, ...eventsEnvironment }));
  };

  const listener: Listener = async (request, response) => {
    const [path = '', ...query] = (request.url ?? '/').split('?');
    const body = await readBody(request);
    if (events && request.method === 'GET' && path === feedPath) return events.feed(response);
    if (events && request.method === 'GET' && path === descriptionPath) return describe(response);
    if (!issuer && (await answerToken(request, body.toString(), response))) return;
    const result = await gateway({
      method: request.method ?? 'GET',
      path: path.startsWith('/') ? path : `/${path}`,
      query: query.join('?'),
      headers: pairs(request.rawHeaders),
      body,
      host: hostOf(request),
      sourceIp: request.socket.remoteAddress ?? '',
    });
    for (const [name, value] of result.headers) response.appendHeader(name, value);
    response.statusCode = result.status;
    response.end(result.body);
  };

  const server = await listen(listener, host, port, report);
  const url = `http://${addressOf(host)}:${server.port}`;
  const stopFollowing = followsStream ? await events?.follow(id => functions.get(id)!, tableName, report) : undefined;

  return {
    url,
    tokenUrl: ownTokenUrl ?? url + tokenPath,
    renew: folders => {
      for (const { definition, renew } of functions.values()) if (folders.has(definition.code)) renew();
    },
    stop: async () => {
      server.stop();
      issuer?.stop();
      const followed = stopFollowing?.();
      await Promise.all([...functions.values()].map(({ stop }) => stop()));
      await followed;
      services?.stop();
    },
  };
};
