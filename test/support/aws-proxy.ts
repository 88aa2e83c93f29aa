import type { IncomingHttpHeaders } from 'node:http';
import { type Call, callOf, forward, type Result } from './dynamodb-proxy.ts';
import { serve } from './http.ts';

/**
 * An injected fault of a call to the bus, a queue or the secrets.
 * - `error`: the service returns 503.
 * - `tooLarge`: the service returns a 413 without a body (github.com/boto/boto3/issues/3411).
 * - `cutAfter`: the service executes the call. Then the connection breaks.
 * - `forget`: the service accepts the call, but does not execute it.
 * - `failEntries`: a function that returns the error code of an entry. Entries without a code are accepted.
 */
export type AwsFault = 'error' | 'tooLarge' | 'cutAfter' | 'forget' | FailingEntries;
interface FailingEntries {
  readonly failEntries: (entry: { Detail: string }, index: number) => string | undefined;
  readonly message?: string;
}

const busy = {
  status: 503,
  body: { __type: 'ServiceUnavailableException', message: 'The service is unavailable.' },
};

/** Records calls to the local bus, queues and secrets, enforces permissions and injects faults. */
export const startAwsProxy = async () => {
  const proxy = {
    target: '',
    faultFor: (_: Call): AwsFault | undefined => undefined,
    denial: (_: Call): string | undefined => undefined,
    denials: [] as string[],
    calls: [] as Call[],
  };

  /** Forwards the accepted entries only, and adds the results of the others. */
  const failing = async (
    { body: { Entries } }: Call,
    headers: IncomingHttpHeaders,
    { failEntries, message: ErrorMessage = 'injected' }: FailingEntries,
  ): Promise<Result> => {
    const codes: (string | undefined)[] = Entries.map(failEntries);
    const passing = Entries.filter((_: unknown, index: number) => !codes[index]);
    const sent = JSON.stringify({ Entries: passing });
    const accepted =
      passing.length > 0 ? (await forward(proxy.target, headers, sent)).body.Entries.values() : [];
    const results = codes.map(code =>
      code ? { ErrorCode: code, ErrorMessage } : accepted.next().value,
    );
    return {
      status: 200,
      body: { FailedEntryCount: codes.filter(Boolean).length, Entries: results },
    };
  };

  const server = await serve(async (incoming, received, response) => {
    const { headers } = incoming;
    const text = received.toString();
    const call = callOf(incoming, text);
    const respond = ({ status, body }: Result) =>
      response
        .writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(body));
    const denial = proxy.denial(call);
    if (denial) {
      proxy.denials.push(denial);
      return respond({ status: 400, body: { __type: 'AccessDeniedException', message: denial } });
    }
    proxy.calls.push(call);
    const fault = proxy.faultFor(call);
    if (fault === 'error') return respond(busy);
    if (fault === 'forget') return respond({ status: 200, body: {} });
    if (fault === 'tooLarge') return response.writeHead(413).end();
    if (typeof fault === 'object') return respond(await failing(call, headers, fault));
    const result = await forward(proxy.target, headers, text).catch(() => busy);
    return fault === 'cutAfter' ? response.destroy() : respond(result);
  });
  return Object.assign(proxy, server);
};

export type AwsProxy = Awaited<ReturnType<typeof startAwsProxy>>;
