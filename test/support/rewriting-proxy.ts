import { once } from 'node:events';
import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProxiedRequest {
  readonly method: string;
  /** With its query. */
  path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface ProxiedResponse {
  status: number;
  readonly headers: IncomingHttpHeaders;
  body: string | Buffer;
}

/** What happens on the way; each part changes what it is given. */
export interface Rewrite {
  /** Returns what is sent in place of the server's response; `cut`: the connection breaks instead. */
  readonly request?: (
    request: ProxiedRequest,
  ) => ProxiedResponse | 'cut' | undefined | Promise<ProxiedResponse | 'cut' | undefined>;
  readonly response?: (response: ProxiedResponse, request: ProxiedRequest) => void;
}

export interface RewritingProxy {
  readonly url: string;
  /** Where requests go; replaced by a test at will, as is `rewrite`. */
  target: string;
  rewrite: Rewrite;
  readonly stop: () => void;
}

const readAll = async (message: IncomingMessage): Promise<Buffer> => Buffer.concat(await message.toArray());

/** Of one connection alone. RFC 9110, section 7.6.1. */
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding'];

/** Stands before a server that is right, and makes it look as if one thing in it were broken. */
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
