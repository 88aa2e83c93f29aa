import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { accessDenied, conditionFailed, type ErrorResponse, errorResponses } from './error-responses.ts';
import { send, serve, type TestServer } from './http.ts';

/** One call of a function to DynamoDB. */
export interface Call {
  /** Logical id of the function, which it carries as its access key. */
  readonly function: string;
  /** `GetItem`, `TransactWriteItems`, … */
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: any request of DynamoDB
  readonly body: any;
}

/** A call in the JSON protocol of AWS. */
export const callOf = ({ headers }: IncomingMessage, body: string): Call => ({
  function: /Credential=(\w+)\//.exec(headers.authorization ?? '')?.[1] ?? '',
  operation: String(headers['x-amz-target']).split('.')[1]!,
  body: JSON.parse(body),
});

/** A call and the engine's response. */
export interface EngineResponse {
  readonly call: Call;
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any response of DynamoDB
  readonly body: any;
}

/**
 * An injected fault of one call.
 * - `conflict`, `throttle`, `error`, `inProgress`, `mismatch`, `denied`, `noTable`: DynamoDB rejects the call.
 * - `conditionFailed`: the condition of the transaction's first write fails, whatever the item is.
 * - `cutBefore`, `cutAfter`: the connection breaks before the call arrives, or after its execution.
 * - `cutLate`: the connection breaks, and the call arrives later, when the test calls `late`.
 * - `stallAfter`: the call is executed, but its response never arrives.
 * - `delay`: the response takes this many milliseconds longer.
 * - `meanwhile`: runs before the call arrives.
 * - `rewrite`: replaces the body of the response.
 */
export type Fault =
  | keyof typeof errorResponses
  | 'conditionFailed'
  | 'cutBefore'
  | 'cutAfter'
  | 'cutLate'
  | 'stallAfter'
  | { readonly delay: number }
  | { readonly meanwhile: () => Promise<unknown> }
  // biome-ignore lint/suspicious/noExplicitAny: any response of DynamoDB
  | { readonly rewrite: (body: any) => unknown };

export interface DynamoDbProxy extends TestServer {
  /** The engine that receives the calls; a test replaces it when it starts another engine. */
  target: string;
  /** Returns the fault of a call; tests replace it. */
  faultFor: (call: Call) => Fault | undefined;
  /** Returns why a call is not allowed, or undefined. */
  denial: (call: Call) => string | undefined;
  /** ReturnConsumedCapacity of the forwarded calls; tests replace it. */
  capacity: 'TOTAL' | 'INDEXES';
  readonly responses: EngineResponse[];
  readonly denials: string[];
  /** The calls with the fault `cutLate`; each function delivers one. */
  readonly late: (() => Promise<EngineResponse>)[];
  /** The calls with the fault `stallAfter` whose callers still wait. */
  readonly stalled: Set<Call>;
}

/** The request id of every response. */
export const dynamoDbRequestId = 'ID0OF0A0CALL0TO0DYNAMODB';

/** The table name that the functions use, and the name of the table that replaces it. */
export interface TableNames {
  readonly served: string;
  readonly own: string;
}

/** A proxy for several test files in sequence: each starts with a reset proxy and its own table. */
export interface SharedDynamoDbProxy extends TestServer {
  readonly begin: (names?: TableNames) => DynamoDbProxy;
}

/** A proxy between the functions and an engine: records calls, enforces permissions and injects faults. */
export const shareDynamoDbProxy = async (endpoint: string): Promise<SharedDynamoDbProxy> => {
  /** Pending `meanwhile` actions by request: a retry of the call must wait for them. */
  const meanwhile = new Map<string, Promise<unknown>>();
  let names: TableNames | undefined;
  let current: DynamoDbProxy;

  const forward = async (incoming: IncomingHttpHeaders, body: string) => {
    const headers = { ...incoming, host: new URL(current.target).host, 'content-length': Buffer.byteLength(body) };
    const response = await send(current.target, { method: 'POST', headers, body });
    return { status: response.status, body: JSON.parse(response.body.toString() || '{}') };
  };

  /** The current item of a transaction's first write. */
  const itemOf = async (headers: IncomingHttpHeaders, { body }: Call): Promise<object | undefined> => {
    const [{ Update: update, Delete: remove }] = body.TransactItems;
    const { TableName, Key } = update ?? remove ?? {};
    if (!Key) return undefined;
    const read = { ...headers, 'x-amz-target': 'DynamoDB_20120810.GetItem' };
    return (await forward(read, JSON.stringify({ TableName, Key, ConsistentRead: true }))).body.Item;
  };

  const begin = (tables?: TableNames): DynamoDbProxy => {
    names = tables;
    current = {
      url,
      target: endpoint,
      faultFor: () => undefined,
      denial: () => undefined,
      capacity: 'TOTAL',
      responses: [],
      denials: [],
      late: [],
      stalled: new Set(),
      stop,
    };
    return current;
  };

  const handle = async (incoming: IncomingMessage, received: Buffer, response: ServerResponse) => {
    const proxy = current;
    const tables = names;
    const text = received.toString();
    const raw = tables ? text.replaceAll(tables.served, tables.own) : text;
    const { headers } = incoming;
    const call = callOf(incoming, raw);
    const respond = ({ status, body }: ErrorResponse | EngineResponse) =>
      response
        .writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0', 'x-amzn-RequestId': dynamoDbRequestId })
        .end(tables ? JSON.stringify(body).replaceAll(tables.own, tables.served) : JSON.stringify(body));
    const deliver = async (): Promise<EngineResponse> => {
      const rewritten = raw.replace('"ReturnConsumedCapacity":"TOTAL"', `"ReturnConsumedCapacity":"${proxy.capacity}"`);
      const response = { call, ...(await forward(headers, rewritten)) };
      proxy.responses.push(response);
      return response;
    };

    const denial = proxy.denial(call);
    if (denial) {
      proxy.denials.push(denial);
      return respond(accessDenied);
    }
    // The stream poller, which no request waits for.
    if (String(headers['x-amz-target']).startsWith('DynamoDBStreams'))
      return respond({ call, ...(await forward(headers, raw)) });
    await meanwhile.get(raw);
    const fault = proxy.faultFor(call);
    if (fault === 'cutBefore') return response.destroy();
    if (fault === 'cutLate') {
      proxy.late.push(deliver);
      return response.destroy();
    }
    if (fault === 'conditionFailed') return respond(conditionFailed(call, await itemOf(headers, call)));
    if (typeof fault === 'string' && fault in errorResponses)
      return respond(errorResponses[fault as keyof typeof errorResponses](call));
    if (typeof fault === 'object' && 'meanwhile' in fault) {
      meanwhile.set(raw, fault.meanwhile());
      await meanwhile.get(raw);
      meanwhile.delete(raw);
    }
    const original = await deliver();
    if (fault === 'cutAfter') return response.destroy();
    if (fault === 'stallAfter') {
      proxy.stalled.add(call);
      return response.on('close', () => proxy.stalled.delete(call));
    }
    if (typeof fault === 'object' && 'delay' in fault) await new Promise(resolve => setTimeout(resolve, fault.delay));
    if (typeof fault === 'object' && 'rewrite' in fault)
      return respond({ ...original, body: fault.rewrite(original.body) });
    return respond(original);
  };

  const { url, stop } = await serve(handle);
  return { url, begin, stop };
};

/** A proxy for one test. */
export const startDynamoDbProxy = async (endpoint: string): Promise<DynamoDbProxy> =>
  (await shareDynamoDbProxy(endpoint)).begin();
