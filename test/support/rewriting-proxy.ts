import { once } from 'node:events';
import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

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

/** Changes requests and responses in place. */
export interface Rewrite {
  /** Returns a response to send instead of the server's, or `cut` to break the connection. */
  readonly request?: (
    request: ProxiedRequest,
  ) => ProxiedResponse | 'cut' | undefined | Promise<ProxiedResponse | 'cut' | undefined>;
  readonly response?: (response: ProxiedResponse, request: ProxiedRequest) => void;
}

export interface RewritingProxy {
  readonly url: string;
  /** The server that receives the requests. Tests replace it and `rewrite`. */
  target: string;
  rewrite: Rewrite;
  readonly stop: () => void;
}

const readAll = async (message: IncomingMessage): Promise<Buffer> => Buffer.concat(await message.toArray());

/** Hop-by-hop headers. RFC 9110, section 7.6.1. */
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding'];

/** A proxy that injects one defect into a correct server. */
export const startRewritingProxy = async (target: string): Promise<RewritingProxy> => {
  const agent = new Agent({ keepAlive: true });
  const proxy: Omit<RewritingProxy, 'url' | 'stop'> = { target, rewrite: {} };

  const forward = async ({ method, path, headers }: ProxiedRequest, body: Buffer): Promise<ProxiedResponse> => {
    const { hostname: host, port } = new URL(proxy.target);
    const sent = send({ agent, host, port, method, path, headers });
    sent.end(body);
    const [message] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: message.statusCode!, headers: { ...message.headers }, body: await readAll(message) };
  };

  const server = createServer(async (incoming, outgoing) => {
    try {
      const { method = '', url: path = '', headers } = incoming;
      const request: ProxiedRequest = { method, path, headers: { ...headers } };
      const body = await readAll(incoming);
      const { rewrite } = proxy;
      const instead = await rewrite.request?.(request);
      if (instead === 'cut') return outgoing.destroy();
      const response = instead ?? (await forward(request, body));
      rewrite.response?.(response, request);
      for (const name of hopByHop) delete response.headers[name];
      if (Buffer.byteLength(response.body) > 0)
        response.headers['content-length'] = `${Buffer.byteLength(response.body)}`;
      outgoing.writeHead(response.status, response.headers).end(response.body);
    } catch {
      outgoing.destroy();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  });
};
