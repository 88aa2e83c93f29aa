import type { IncomingHttpHeaders } from 'node:http';
import { send, serve, type TestServer } from './http.ts';

export interface ProxiedRequest {
  readonly method: string;
  /** Including the query. */
  path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface ProxiedResponse {
  status: number;
  readonly headers: IncomingHttpHeaders;
  body: string | Buffer;
}

type Instead = ProxiedResponse | 'cut' | undefined;

/** Changes requests and responses in place. */
export interface Rewrite {
  /** Returns a response to send instead of the server's, or `cut` to break the connection. */
  readonly request?: (request: ProxiedRequest) => Instead | Promise<Instead>;
  readonly response?: (response: ProxiedResponse, request: ProxiedRequest) => void;
}

export interface RewritingProxy extends TestServer {
  /** The server that receives the requests. Tests replace it and `rewrite`. */
  target: string;
  rewrite: Rewrite;
}

/** Hop-by-hop headers. RFC 9110, section 7.6.1. */
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding'];

/** A proxy that injects one defect into a correct server. */
export const startRewritingProxy = async (target: string): Promise<RewritingProxy> => {
  const proxy = { target, rewrite: {} as Rewrite };
  const forward = async ({ path, ...request }: ProxiedRequest, body: Buffer): Promise<ProxiedResponse> => {
    const response = await send(proxy.target, { ...request, path, body: body.length > 0 ? body : undefined });
    return { ...response, headers: Object.fromEntries(response.headers) };
  };
  const server = await serve(async ({ method = '', url: path = '', headers }, body, outgoing) => {
    const request: ProxiedRequest = { method, path, headers: { ...headers } };
    const { rewrite } = proxy;
    const instead = await rewrite.request?.(request);
    if (instead === 'cut') return outgoing.destroy();
    const response = instead ?? (await forward(request, body));
    rewrite.response?.(response, request);
    for (const name of hopByHop) delete response.headers[name];
    if (Buffer.byteLength(response.body) > 0)
      response.headers['content-length'] = `${Buffer.byteLength(response.body)}`;
    outgoing.writeHead(response.status, response.headers).end(response.body);
  });
  return Object.assign(proxy, server);
};
