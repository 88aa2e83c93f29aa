import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { send, serve } from './http.ts';

export interface Call {
  /** The function's logical id is its access key. */
  readonly function: string;
  /** `GetItem`, `TransactWriteItems`, … */
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: any request of DynamoDB
  readonly body: any;
}

/** The AWS JSON protocol. */
export const callOf = ({ headers }: IncomingMessage, body: string): Call => ({
  function: /Credential=(\w+)\//.exec(headers.authorization ?? '')?.[1] ?? '',
  operation: String(headers['x-amz-target']).split('.')[1]!,
  body: JSON.parse(body),
});

export interface Result {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any response of AWS
  readonly body: any;
}

export const forward = async (
  url: string,
  received: IncomingHttpHeaders,
  body: string,
): Promise<Result> => {
  const headers = {
    ...received,
    host: new URL(url).host,
    'content-length': Buffer.byteLength(body),
  };
  const response = await send(url, { method: 'POST', headers, body });
  return { status: response.status, body: JSON.parse(response.body.toString() || '{}') };
};

type EngineResponse = Result & { readonly call: Call };

const errorResponse = (type: string, extra: object = {}, status: 400 | 500 = 400): Result => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...extra },
});

/** Because of its first write. */
const canceled = ({ body: { TransactItems } }: Call, reason: object): Result => {
  const others = TransactItems.slice(1).map(() => ({ Code: 'None' }));
  return errorResponse('TransactionCanceledException', {
    CancellationReasons: [reason, ...others],
  });
};

const throttled = {
  reason: 'TableReadMaxOnDemandThroughputExceeded',
  resource: 'arn:aws:dynamodb:::table/pets',
};

const errorResponses = {
  conflict: (call: Call) =>
    call.operation === 'TransactWriteItems'
      ? canceled(call, { Code: 'TransactionConflict' })
      : errorResponse('ThrottlingException'),
  throttle: () =>
    errorResponse('ProvisionedThroughputExceededException', { ThrottlingReasons: [throttled] }),
  error: () => errorResponse('InternalServerError', {}, 500),
  inProgress: () => errorResponse('TransactionInProgressException'),
  mismatch: () => errorResponse('IdempotentParameterMismatchException'),
  denied: () => errorResponse('AccessDeniedException'),
};

/**
 * - `conflict`, `throttle`, `error`, `inProgress`, `mismatch`, `denied`: DynamoDB rejects the call.
 * - `conditionFailed`: the condition of the transaction's first write fails, whatever the item is.
 * - `cutBefore`, `cutAfter`: the connection breaks before the call arrives, or after its execution.
 * - `cutLate`: the connection breaks, and the call arrives when the test calls its function in `late`.
 * - `stallAfter`: the call is executed, but its response never arrives.
 * - `delay`: in milliseconds. `rewrite`: replaces the body of the response.
 */
export type Fault =
  | keyof typeof errorResponses
  | 'conditionFailed'
  | 'cutBefore'
  | 'cutAfter'
  | 'cutLate'
  | 'stallAfter'
  // biome-ignore lint/suspicious/noExplicitAny: any response of DynamoDB
  | { delay?: number; rewrite?: (body: any) => unknown };

export const dynamoDbRequestId = 'ID0OF0A0CALL0TO0DYNAMODB';

/** The proxy replaces the name that the functions use by `own`. */
export type TableNames = Readonly<Record<'served' | 'own', string>>;

/** Tests set the first four properties. */
const newSession = (target: string, tables?: TableNames) => ({
  target,
  faultFor: (_: Call): Fault | undefined => undefined,
  /** Why a call is not allowed. */
  denial: (_: Call): string | undefined => undefined,
  /** The ReturnConsumedCapacity of all calls. */
  capacity: 'TOTAL' as 'TOTAL' | 'INDEXES',
  responses: [] as EngineResponse[],
  denials: [] as string[],
  /** One function for each call with the fault `cutLate`. */
  late: [] as (() => Promise<EngineResponse>)[],
  /** The calls with the fault `stallAfter` whose callers still wait. */
  stalled: new Set<Call>(),
  tables,
});

/**
 * Records calls, enforces permissions and injects faults. Test files use the proxy one after the other, each with a new session
 * and its own table.
 */
export const shareDynamoDbProxy = async (endpoint: string) => {
  let current = newSession(endpoint);

  const itemOf = async (
    headers: IncomingHttpHeaders,
    { body }: Call,
  ): Promise<object | undefined> => {
    const [{ Update: update, Delete: remove }] = body.TransactItems;
    const { TableName, Key } = update ?? remove ?? {};
    if (!Key) return undefined;
    const read = { ...headers, 'x-amz-target': 'DynamoDB_20120810.GetItem' };
    return (
      await forward(current.target, read, JSON.stringify({ TableName, Key, ConsistentRead: true }))
    ).body.Item;
  };

  const { url, stop } = await serve(async (incoming, received, response) => {
    const session = current;
    const { tables } = session;
    const { headers } = incoming;
    const raw = tables ? `${received}`.replaceAll(tables.served, tables.own) : `${received}`;
    const call = callOf(incoming, raw);
    const respond = ({ status, body }: Result) =>
      response
        .writeHead(status, {
          'Content-Type': 'application/x-amz-json-1.0',
          'x-amzn-RequestId': dynamoDbRequestId,
        })
        .end(
          tables
            ? JSON.stringify(body).replaceAll(tables.own, tables.served)
            : JSON.stringify(body),
        );
    const deliver = async (): Promise<EngineResponse> => {
      const capacity = `"ReturnConsumedCapacity":"${session.capacity}"`;
      const result = await forward(
        current.target,
        headers,
        raw.replace('"ReturnConsumedCapacity":"TOTAL"', capacity),
      );
      session.responses.push({ call, ...result });
      return { call, ...result };
    };

    const denial = session.denial(call);
    if (denial) {
      session.denials.push(denial);
      return respond(errorResponses.denied());
    }
    // No request waits for the stream poller, so its calls have no faults.
    if (String(headers['x-amz-target']).startsWith('DynamoDBStreams'))
      return respond(await forward(current.target, headers, raw));
    const fault = session.faultFor(call);
    if (fault === 'cutLate') session.late.push(deliver);
    if (fault === 'cutLate' || fault === 'cutBefore') return response.destroy();
    if (fault === 'conditionFailed')
      return respond(
        canceled(call, { Code: 'ConditionalCheckFailed', Item: await itemOf(headers, call) }),
      );
    if (typeof fault === 'string' && fault in errorResponses)
      return respond(errorResponses[fault as keyof typeof errorResponses](call));
    const { delay = 0, rewrite } = typeof fault === 'object' ? fault : {};
    const original = await deliver();
    if (fault === 'cutAfter') return response.destroy();
    if (fault === 'stallAfter') {
      session.stalled.add(call);
      return response.on('close', () => session.stalled.delete(call));
    }
    if (delay > 0) await sleep(delay);
    return respond(rewrite ? { ...original, body: rewrite(original.body) } : original);
  });
  const begin = (tables?: TableNames) => {
    current = newSession(endpoint, tables);
    return Object.assign(current, { url, stop });
  };
  return { url, begin, stop };
};

export const startDynamoDbProxy = async (endpoint: string) =>
  (await shareDynamoDbProxy(endpoint)).begin();

export type SharedDynamoDbProxy = Awaited<ReturnType<typeof shareDynamoDbProxy>>;
