import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventFeedPath } from './events/local-events.ts';
import type { IncomingRequest } from './gateway/gateway.ts';
import type { GatewayResult } from './gateway/response.ts';
import { type Listener, receiveBody, toGatewayRequest } from './http-server.ts';
import { outputsPath } from './outputs.ts';

interface Handlers {
  /** The outputs of the stack on this machine. */
  readonly outputs: () => object;
  /** Absent when the stage publishes no events. */
  readonly streamEvents: ((response: ServerResponse) => void) | undefined;
  /** Handles requests for tokens. @returns whether this was one */
  readonly tokens: ((request: IncomingMessage, body: string, response: ServerResponse) => Promise<boolean>) | undefined;
  readonly gateway: (request: IncomingRequest) => Promise<GatewayResult>;
}

/** Routes a request: a few paths belong to other emulated services, all others to the gateway. */
export const createRoutes =
  ({ outputs, streamEvents, tokens, gateway }: Handlers, port: () => number): Listener =>
  async (request, response) => {
    const [path] = (request.url ?? '/').split('?');
    const body = await receiveBody(request);
    if (streamEvents && request.method === 'GET' && path === eventFeedPath) return streamEvents(response);
    if (request.method === 'GET' && path === outputsPath)
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(outputs()));
    if (await tokens?.(request, body.toString(), response)) return;
    const result = await gateway(toGatewayRequest(request, body, port()));
    for (const [name, value] of result.headers) response.appendHeader(name, value);
    response.statusCode = result.status;
    response.end(result.body);
  };
