import type { IncomingHttpHeaders } from 'node:http';
import { send, serve } from './http.ts';

export interface ProxiedRequest {
  readonly method: string;
  /** With the query. */
  path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ProxiedResponse {
  status: number;
  readonly headers: IncomingHttpHeaders;
  body: string | Buffer;
}

/** They change their argument in place. */
export interface Rewrite {
  /** A returned response is sent in place of the server's. */
  readonly request?: (
    request: ProxiedRequest,
  ) => ProxiedResponse | undefined | Promise<ProxiedResponse | undefined>;
  readonly response?: (response: ProxiedResponse, request: ProxiedRequest) => void | Promise<void>;
}

/** Tests replace `target` and `rewrite`, to inject defects into a correct server. */
export const startRewritingProxy = async (target: string) => {
  const proxy = { target, rewrite: {} as Rewrite };
  const server = await serve(async ({ method = '', url: path = '', headers }, body, outgoing) => {
    const request: ProxiedRequest = {
      method,
      path,
      headers: { ...headers },
      body: body.toString(),
    };
    const { rewrite } = proxy;
    let response = await rewrite.request?.(request);
    if (!response) {
      const received = await send(proxy.target, {
        ...request,
        body: body.length > 0 ? body : undefined,
      });
      response = { ...received, headers: Object.fromEntries(received.headers) };
    }
    await rewrite.response?.(response, request);
    // Hop-by-hop headers (RFC 9110, section 7.6.1).
    for (const name of ['connection', 'keep-alive', 'transfer-encoding'])
      delete response.headers[name];
    const length = Buffer.byteLength(response.body);
    if (length > 0) response.headers['content-length'] = `${length}`;
    outgoing.writeHead(response.status, response.headers).end(response.body);
  });
  return Object.assign(proxy, server);
};
