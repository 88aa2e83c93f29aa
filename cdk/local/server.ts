import type { FunctionDefinition } from '../synthesis/api.ts';
import { readApi } from '../synthesis/api.ts';
import type { Assembly } from '../synthesis/template.ts';
import { createAuthorizer } from './auth/authorizer.ts';
import type { SigningKey } from './auth/signing-key.ts';
import { createTokenEndpoint, localIssuer, tokenPath } from './auth/tokens.ts';
import type { Engine } from './engine/start-engine.ts';
import { connect, ensureTable } from './engine/table.ts';
import { eventFeedPath, startLocalEvents } from './events/local-events.ts';
import { createGateway } from './gateway/gateway.ts';
import { withUnavailability } from './gateway/unavailable.ts';
import {
  hostForClients,
  type Listener,
  listen,
  loopback,
  receiveBody,
  toGatewayRequest,
} from './http-server.ts';
import { createFunctions } from './lambda/template-functions.ts';
import { localOutputs, outputsPath } from './outputs.ts';
import { isForeign, readersOf } from './private.ts';
import type { RequestLog } from './request-log.ts';
import { openState, type State } from './state.ts';

export interface ServerOptions {
  readonly assembly: Assembly;
  /** Of DynamoDB. */
  readonly endpoint: string;
  /** 0 picks a free port. */
  readonly port?: number;
  /** Default: this machine alone. */
  readonly host?: string;
  readonly tableName?: string;
  /** Stores checkpoints and messages; in memory by default. */
  readonly state?: State;
  readonly signingKey: SigningKey;
  /** Overrides variables, so that tests can route calls through proxies. */
  readonly environmentOf?: (definition: FunctionDefinition) => Record<string, string>;
  readonly report?: (error: unknown) => void;
  /** Gets what functions log; the default writes it to stdout. */
  readonly log?: (text: string, functionId: string) => void;
  /** Without polling, no events are published. Default: true. */
  readonly pollsStream?: boolean;
  /** Called with the last published record after its checkpoint is stored. */
  readonly trimStream?: Engine['trimStream'];
  readonly onResponse?: RequestLog['onResponse'];
  /** Of every client. With it, no page of another site can call the server; without it, any can, with the secret `local`. */
  readonly privateSecret?: string | undefined;
  /** The share that fails with 503, from 0 to 1; none by default. */
  readonly unavailable?: number;
}

export const localTableName = 'petstore-local';
const json = { 'Content-Type': 'application/json' };

/** @throws if the port is in use, the data cannot be used, or the template has a resource or property that is not supported */
export const startServer = async (options: ServerOptions) => {
  const {
    assembly,
    endpoint,
    signingKey,
    host = loopback,
    port = 0,
    tableName = localTableName,
    state = openState(),
    pollsStream = true,
    environmentOf = () => ({}),
    report = console.error,
    log = (text: string) => process.stdout.write(text),
    trimStream = () => undefined,
    unavailable = 0,
    privateSecret,
  } = options;
  const { template } = assembly;
  const api = readApi(assembly);
  const client = connect(endpoint);
  await ensureTable(client, template, tableName);
  client.destroy();

  const events = await startLocalEvents(template, state, trimStream, report);
  const localAddresses = events?.environmentOf ?? (() => ({}));
  const functions = createFunctions(api.functions, template, {
    endpoint,
    tableName,
    localAddresses,
    environmentOf,
    log,
  });
  const handleTokens = createTokenEndpoint(api.clients, signingKey, privateSecret);
  const authorize = createAuthorizer(localIssuer, signingKey.publicJwk);
  const functionOf =
    unavailable > 0 ? withUnavailability(functions.byId, unavailable) : functions.byId;
  const gateway = createGateway({
    api,
    authorize,
    functionOf,
    report,
    onResponse: options.onResponse,
  });

  const route: Listener = async (request, response) => {
    const [path] = (request.url ?? '/').split('?');
    const body = await receiveBody(request);
    if (privateSecret && isForeign(request, host)) {
      const message =
        'A page of another site cannot call this private server. Use the URL that it printed.';
      return response
        .writeHead(403, json)
        .end(JSON.stringify({ code: 'forbidden', message, status: 403 }));
    }
    if (events && request.method === 'GET' && path === eventFeedPath)
      return events.streamEvents(response);
    if (request.method === 'GET' && path === outputsPath) {
      const local = {
        DynamoDbEndpoint: endpoint,
        EventsEndpoint: events?.url,
        TableName: tableName,
      };
      const ofStack = localOutputs(template, events?.queueUrl);
      const outputs = { ...ofStack, ApiUrl: `${url}/`, TokenUrl: tokenUrl, ...local };
      return response.writeHead(200, json).end(JSON.stringify(outputs));
    }
    if (await handleTokens(request, body.toString(), response)) return;
    const {
      status,
      headers,
      body: content,
    } = await gateway(toGatewayRequest(request, body, server.port));
    for (const [name, value] of headers)
      response.appendHeader(
        name,
        name === 'Access-Control-Allow-Origin' ? readersOf(request, privateSecret) : value,
      );
    // writeHead would send the body in chunks, without a Content-Length.
    response.statusCode = status;
    response.end(content);
  };
  const server = await listen(route, host, port, report);
  const url = `http://${hostForClients(host)}:${server.port}`;
  const tokenUrl = url + tokenPath;
  const stopPolling = pollsStream
    ? await events?.startPolling(functions.byId, tableName)
    : undefined;
  const stop = async () =>
    void (await Promise.all([stopPolling?.(), server.stop(), functions.stop(), events?.stop()]));
  return { url, tokenUrl, port: server.port, reload: functions.reload, stop };
};
