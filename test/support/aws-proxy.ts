import { type Call, callOf } from './dynamodb-proxy.ts';
import { send, serve } from './http.ts';

/**
 * An injected fault of a call to the bus or the queue.
 * - `error`: the service returns 503.
 * - `tooLarge`: the service returns a 413 without a body (github.com/boto/boto3/issues/3411).
 * - `cutAfter`: the call is executed, then the connection breaks.
 * - `failEntries`: returns the error code of an entry. Entries without a code are accepted.
 */
export type AwsFault = 'error' | 'tooLarge' | 'cutAfter' | FailingEntries;
interface FailingEntries {
  readonly failEntries: (entry: { Detail: string }, index: number) => string | undefined;
  readonly message?: string;
}
type Result = Readonly<{ status: number; body: object }>;

const nothing = { body: { Entries: [] as object[] } };
const busy = { status: 503, body: { __type: 'ServiceUnavailableException', message: 'The service is unavailable.' } };

/** A proxy between a function and the local bus and queue: records calls, enforces permissions and injects faults. */
export const startAwsProxy = async () => {
  const proxy = {
    /** The endpoint that receives the calls. */
    target: '',
    faultFor: (_: Call): AwsFault | undefined => undefined,
    denial: (_: Call): string | undefined => undefined,
    denials: [] as string[],
    calls: [] as Call[],
  };

  const forward = async ({ operation }: Call, service: string, body: object): Promise<Result> => {
    const headers = { 'X-Amz-Target': `${service}.${operation}`, 'Content-Type': 'application/x-amz-json-1.1' };
    const result = await send(proxy.target, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: result.status, body: JSON.parse(result.body.toString()) };
  };

  /** Forwards the entries that must not fail, and merges the results. */
  const failing = async (call: Call, service: string, { failEntries, message = 'injected' }: FailingEntries) => {
    const codes: (string | undefined)[] = call.body.Entries.map(failEntries);
    const passing = call.body.Entries.filter((_: unknown, index: number) => !codes[index]);
    const { body } = passing.length > 0 ? await forward(call, service, { Entries: passing }) : nothing;
    const accepted = (body as typeof nothing.body).Entries.values();
    const results = codes.map(code => (code ? { ErrorCode: code, ErrorMessage: message } : accepted.next().value));
    return { status: 200, body: { FailedEntryCount: codes.filter(Boolean).length, Entries: results } };
  };

  const server = await serve(async (incoming, received, response) => {
    const [service = ''] = String(incoming.headers['x-amz-target']).split('.');
    const call = callOf(incoming, received.toString());
    const respond = ({ status, body }: Result) =>
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
    if (typeof fault === 'object') return respond(await failing(call, service, fault));
    const result = await forward(call, service, call.body).catch(() => busy);
    return fault === 'cutAfter' ? response.destroy() : respond(result);
  });
  return Object.assign(proxy, server);
};

export type AwsProxy = Awaited<ReturnType<typeof startAwsProxy>>;
