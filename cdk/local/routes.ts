import type { IncomingMessage, ServerResponse } from 'node:http';
import { descriptionPath } from './discovery.ts';
import { feedPath } from './events/local-events.ts';
import type { IncomingRequest } from './gateway/gateway.ts';
import type { GatewayResult } from './gateway/response.ts';
import { type Listener, receiveBody, toGatewayRequest } from './http-server.ts';

interface Places {
  /** Where events are told: the feed of them, and what a command needs to tell some again. */
  readonly events: { readonly feed: (response: ServerResponse) => void; readonly describe: () => object } | undefined;
  /** Answers what is about tokens, if that is asked here. @returns whether it was */
  readonly tokens: ((request: IncomingMessage, body: string, response: ServerResponse) => Promise<boolean>) | undefined;
  readonly gateway: (request: IncomingRequest) => Promise<GatewayResult>;
}

/** Who answers a request: what stands in for AWS's other services has paths of its own; all else is the gateway's. */
export const createRoutes =
  ({ events, tokens, gateway }: Places, port: () => number): Listener =>
  async (request, response) => {
    const [path] = (request.url ?? '/').split('?');
    const body = await receiveBody(request);
    if (events && request.method === 'GET' && path === feedPath) return events.feed(response);
    if (events && request.method === 'GET' && path === descriptionPath)
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(events.describe()));
    if (await tokens?.(request, body.toString(), response)) return;
    const result = await gateway(toGatewayRequest(request, body, port()));
    for (const [name, value] of result.headers) response.appendHeader(name, value);
    response.statusCode = result.status;
    response.end(result.body);
  };
