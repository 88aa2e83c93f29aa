import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { send, serve } from './http.ts';

export interface ForwardedRequest {
  readonly method: string;
  /** With the query. */
  path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Whether its connection had another request before. */
  readonly isKept: boolean;
}

export interface ForwardedResponse {
  status: number;
  readonly headers: IncomingHttpHeaders;
  body: string | Buffer;
}

/** In place of a response, the connection closes, is reset, or stays open. */
export type ConnectionFault = 'close' | 'reset' | 'stall';

/** @throws if the target does not respond: then the connection closes */
type Forward = (
  changes?: Partial<ForwardedRequest & { readonly target: string }>,
) => Promise<ForwardedResponse>;

type Given = ForwardedResponse | ConnectionFault | undefined;

/** They can change their first argument in place. */
export interface Hooks {
  /** What it returns takes the place of the target's response. */
  readonly request?: (request: ForwardedRequest, forward: Forward) => Given | Promise<Given>;
  /** Of the target. */
  readonly response?: (response: ForwardedResponse, request: ForwardedRequest) => unknown;
}

/** RFC 9110, section 7.6.1. */
const withoutHopByHop = (headers: IncomingHttpHeaders): IncomingHttpHeaders => {
  const { connection, 'keep-alive': _, 'transfer-encoding': encoding, ...others } = headers;
  return others;
};

/** Tests replace `target` and `hooks`, to inject faults into a correct server. */
export const startForwarder = async (target: string, hooks: Hooks = {}) => {
  const used = new WeakSet<Socket>();
  const forwarder = {
    target,
    hooks,
    /** Those whose clients still wait. */
    stalled: new Set<ServerResponse>(),
  };
  const server = await serve(async ({ method, url, headers, socket }, received, outgoing) => {
    const request: ForwardedRequest = {
      method: method!,
      path: url!,
      headers: withoutHopByHop(headers),
      body: received.toString(),
      isKept: used.has(socket),
    };
    used.add(socket);
    const current = forwarder.hooks;
    const forward: Forward = async ({ target: other = forwarder.target, ...changes } = {}) => {
      const body = received.length > 0 ? received : undefined;
      const { headers: sent, ...rest } = await send(other, { ...request, body, ...changes });
      const response = { ...rest, headers: withoutHopByHop(Object.fromEntries(sent)) };
      await current.response?.(response, request);
      return response;
    };
    const given = (await current.request?.(request, forward)) ?? (await forward());
    if (given === 'stall') {
      forwarder.stalled.add(outgoing);
      return outgoing.on('close', () => forwarder.stalled.delete(outgoing));
    }
    if (given === 'reset') return socket.resetAndDestroy();
    if (given === 'close') return outgoing.destroy();
    const length = Buffer.byteLength(given.body);
    const lengthOfBody = length > 0 && { 'content-length': length };
    outgoing.writeHead(given.status, { ...given.headers, ...lengthOfBody }).end(given.body);
  });
  return Object.assign(forwarder, server);
};
