import type { IncomingMessage, ServerResponse } from 'node:http';
import { outputsPath } from './discovery.ts';
import { feedPath } from './events/local-events.ts';
import type { IncomingRequest } from './gateway/gateway.ts';
import type { GatewayResult } from './gateway/response.ts';
import { type Listener, receiveBody, toGatewayRequest } from './http-server.ts';

interface Places {
  /** The outputs of the stack, as this machine has them. */
  readonly outputs: () => object;
  /** The events as they are published; undefined: the stack has none. */
  readonly feed: ((response: ServerResponse) => void) | undefined;
  /** Answers what is about tokens, if that is asked here. @returns whether it was */
  readonly tokens: ((request: IncomingMessage, body: string, response: ServerResponse) => Promise<boolean>) | undefined;
  readonly gateway: (request: IncomingRequest) => Promise<GatewayResult>;
}

/** Who answers a request: what stands in for AWS's other services has paths of its own; all else is the gateway's. */
export const createRoutes =
  ({ outputs, feed, tokens, gateway }: Places, port: () => number): Listener =>
  async (request, response) => {
    const [path] = (request.url ?? '/').split('?');
    const body = await receiveBody(request);
    if (feed && request.method === 'GET' && path === feedPath) return feed(response);
    if (request.method === 'GET' && path === outputsPath)
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(outputs()));
    if (await tokens?.(request, body.toString(), response)) return;
    const result = await gateway(toGatewayRequest(request, body, port()));
    for (const [name, value] of result.headers) response.appendHeader(name, value);
    response.statusCode = result.status;
    response.end(result.body);
  };
