import type { Assembly } from '../build/synthesize.ts';
import { startLocalTokens } from './auth/local-auth.ts';
import type { TokenKey } from './auth/signing-key.ts';
import { outputsOf } from './discovery.ts';
import { connect, ensureTable } from './engine/table.ts';
import { startLocalEvents } from './events/local-events.ts';
import { readApi } from './gateway/api.ts';
import { createGateway } from './gateway/gateway.ts';
import { listen, loopback, reachableAt } from './http-server.ts';
import type { FunctionDefinition } from './lambda/lambda-function.ts';
import { createFunctions } from './lambda/template-functions.ts';
import type { RequestJournal } from './request-log.ts';
import { createRoutes } from './routes.ts';

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
  readonly arrive?: RequestJournal['arrive'];
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

/** The name of the local table. */
export const localTableName = 'petstore-local';

/**
 * Serves a synthesized stack on the loopback interface, unless told otherwise: its routes, gateway responses, functions and table.
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
  const { template } = assembly;
  const api = readApi(assembly);
  const client = connect(endpoint);
  await ensureTable(client, template, tableName);
  client.destroy();

  const tokens = await startLocalTokens(api.clients, { key: tokenKey, ownOrigin: ownTokenOrigin, report });
  const events = await startLocalEvents(template, { folder, report, log });
  const functions = createFunctions(api, template, {
    endpoint,
    tableName,
    tokenUrl: tokens.url,
    events: events?.environment ?? {},
    environmentOf,
    log,
  });
  const gateway = createGateway(api, tokens.authorise, functions.named, report, options.arrive);
  const outputs = () => outputsOf(template, { url, tokenUrl, tableName, endpoint, events });
  const routes = createRoutes({ outputs, feed: events?.feed, tokens: tokens.answer, gateway }, () => server.port);
  const server = await listen(routes, host, port, report);
  const url = `http://${reachableAt(host)}:${server.port}`;
  const tokenUrl = tokens.answer ? url + tokens.url : tokens.url;

  let stopFollowing: (() => Promise<void>) | undefined;
  const stop = async () => {
    server.stop();
    tokens.stop();
    const followed = stopFollowing?.();
    await functions.stop();
    await followed;
    events?.stop();
  };
  try {
    if (followsStream) stopFollowing = await events?.follow(functions.named, tableName);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, tokenUrl, renew: functions.renew, inUse: functions.inUse, stop };
};
