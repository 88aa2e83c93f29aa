import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Call } from './dynamodb-proxy.ts';

/**
 * An injected fault of a call to the bus or the queue.
 * - `error`: the service returns 503.
 * - `tooLarge`: the service returns a 413 without a body (github.com/boto/boto3/issues/3411).
 * - `cutAfter`: the call is executed, then the connection breaks.
 * - `failEntries`: the entries with a code fail with it, the others are accepted.
 */
export type AwsFault =
  | 'error'
  | 'tooLarge'
  | 'cutAfter'
  | { readonly failEntries: (entry: { Detail: string }, index: number) => string | undefined };

export interface AwsProxy {
  readonly url: string;
  /** The endpoint that receives the calls. */
  target: string;
  faultFor: (call: Call) => AwsFault | undefined;
  denial: (call: Call) => string | undefined;
  readonly denials: string[];
  readonly calls: Call[];
  readonly stop: () => Promise<void>;
}

const busy = { status: 503, body: { __type: 'ServiceUnavailableException', message: 'The service is unavailable.' } };

/** A proxy between a function and the local bus and queue: records calls, enforces permissions and injects faults. */
export const startAwsProxy = async (): Promise<AwsProxy> => {
  const proxy: Omit<AwsProxy, 'url' | 'stop'> = {
    target: '',
    faultFor: () => undefined,
    denial: () => undefined,
    denials: [],
    calls: [],
  };

  const forward = async ({ operation }: Call, service: string, body: object) => {
    const headers = { 'X-Amz-Target': `${service}.${operation}`, 'Content-Type': 'application/x-amz-json-1.1' };
    const result = await fetch(proxy.target, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: result.status, body: (await result.json()) as object };
  };

  /** Forwards the entries that must not fail, and merges the results. */
  const failing = async (
    call: Call,
    service: string,
    codeOf: (entry: { Detail: string }, index: number) => string | undefined,
  ) => {
    const codes: (string | undefined)[] = call.body.Entries.map(codeOf);
    const passing = call.body.Entries.filter((_: unknown, index: number) => !codes[index]);
    const { body } =
      passing.length > 0 ? await forward(call, service, { Entries: passing }) : { body: { Entries: [] } };
    const accepted = (body as { Entries: object[] }).Entries.values();
    const results = codes.map(code => (code ? { ErrorCode: code, ErrorMessage: 'injected' } : accepted.next().value));
    return { status: 200, body: { FailedEntryCount: codes.filter(Boolean).length, Entries: results } };
  };

  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const [service = '', operation = ''] = String(incoming.headers['x-amz-target']).split('.');
    const call: Call = {
      function: /Credential=(\w+)\//.exec(incoming.headers.authorization ?? '')?.[1] ?? '',
      operation,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    };
    const respond = ({ status, body }: { status: number; body: object }) =>
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    const denial = proxy.denial(call);
    if (denial) {
      proxy.denials.push(denial);
      return respond({ status: 400, body: { __type: 'AccessDeniedException', message: denial } });
    }
    proxy.calls.push(call);
    const fault = proxy.faultFor(call);
    if (fault === 'error') return respond(busy);
    if (fault === 'tooLarge') return response.writeHead(413).end();
    if (typeof fault === 'object') return respond(await failing(call, service, fault.failEntries));
    const result = await forward(call, service, call.body).catch(() => busy);
    return fault === 'cutAfter' ? response.destroy() : respond(result);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
};
