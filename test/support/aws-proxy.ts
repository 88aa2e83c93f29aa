import { setTimeout as sleep } from 'node:timers/promises';
import {
  awsJson,
  type Call,
  type Execute,
  errorBody,
  isOfStream,
  type Outcome,
  type Result,
  resultOf,
} from './aws-json.ts';
import { type ForwardedRequest, startForwarder } from './forwarder.ts';

type FaultFunction = (call: Call, execute: Execute) => Outcome | Promise<Outcome>;

const rejection = (name: string, more?: object) => resultOf(errorBody(name, name, more));

/** Because of its first write. */
const canceled = ({ body: { TransactItems } }: Call, reason: object) => {
  const others = TransactItems.slice(1).map(() => ({ Code: 'None' }));
  return rejection('TransactionCanceledException', { CancellationReasons: [reason, ...others] });
};

const throttled = {
  reason: 'TableReadMaxOnDemandThroughputExceeded',
  resource: 'arn:aws:dynamodb:::table/pets',
};

const after =
  (outcome: Outcome): FaultFunction =>
  async (_, execute) => {
    await execute();
    return outcome;
  };

/** The service rejects a call, or its connection breaks before the call arrives, or after its execution. */
const faults = {
  conflict: call =>
    call.operation === 'TransactWriteItems'
      ? canceled(call, { Code: 'TransactionConflict' })
      : rejection('ThrottlingException'),
  throttle: rejection('ProvisionedThroughputExceededException', { ThrottlingReasons: [throttled] }),
  error: { status: 500, body: errorBody('InternalServerError') },
  mismatch: rejection('IdempotentParameterMismatchException'),
  denied: rejection('AccessDeniedException'),
  /** The condition of the transaction's first write fails, whatever the item is. */
  conditionFailed: async (call, execute) => {
    const [{ Update: update, Delete: remove }] = call.body.TransactItems;
    const { TableName, Key } = update ?? remove ?? {};
    const read = Key && (await execute('GetItem', { TableName, Key, ConsistentRead: true }));
    return canceled(call, { Code: 'ConditionalCheckFailed', Item: read?.body.Item });
  },
  resetBefore: 'reset',
  cutBefore: 'close',
  stallBefore: 'stall',
  cutAfter: after('close'),
  stallAfter: after('stall'),
  slow: async (_, execute) => {
    const result = await execute();
    await sleep(25);
    return result;
  },
} satisfies Record<string, Outcome | FaultFunction>;

export type Fault = keyof typeof faults | FaultFunction;

/** @param codeOf the error code of an entry for the bus; entries without a code are accepted */
export const failEntries =
  (
    codeOf: (entry: { Detail: string }, index: number) => string | undefined,
    ErrorMessage = 'injected',
  ): FaultFunction =>
  async ({ operation, body: { Entries } }, execute) => {
    const codes: (string | undefined)[] = Entries.map(codeOf);
    const passing = Entries.filter((_: unknown, index: number) => !codes[index]);
    const executed = passing.length > 0 && (await execute(operation, { Entries: passing }));
    const accepted = executed ? executed.body.Entries.values() : [];
    const results = codes.map(code =>
      code ? { ErrorCode: code, ErrorMessage } : accepted.next().value,
    );
    return resultOf({ FailedEntryCount: codes.filter(Boolean).length, Entries: results });
  };

/** The proxy replaces the name that the functions use by `own`. */
export type TableNames = Readonly<Record<'served' | 'own', string>>;

/** Tests set the first two properties. */
const newSession = (tables?: TableNames) => ({
  /** It can change the call. */
  faultFor: (_: Call, _request: ForwardedRequest): Fault | undefined => undefined,
  /** Why a call is not allowed. */
  denial: (_: Call): string | undefined => undefined,
  responses: [] as (Result & { readonly call: Call })[],
  denials: [] as string[],
  tables,
});

/**
 * Records calls to DynamoDB, or to the bus, queues and secrets, enforces permissions and injects faults. Test files use a proxy
 * one after the other, each after a `reset` and with its own table.
 */
export const startAwsProxy = async (target = '') => {
  const proxy = Object.assign(await startForwarder(target), newSession());
  const handle = awsJson(async (call, execute, request) => {
    const denial = proxy.denial(call);
    if (denial) {
      proxy.denials.push(denial);
      return faults.denied;
    }
    // No request waits for the stream poller, so its calls have no faults.
    if (isOfStream(call)) return execute();
    const { responses } = proxy;
    const record: Execute = async (...other) => {
      const result = await execute(...other);
      if (other.length === 0) responses.push({ call, ...result });
      return result;
    };
    const fault = proxy.faultFor(call, request);
    const outcome = typeof fault === 'string' ? faults[fault] : fault;
    return typeof outcome === 'function' ? outcome(call, record) : (outcome ?? record());
  });
  proxy.hooks = {
    request: async (request, forward) => {
      const { tables } = proxy;
      if (!tables) return handle(request, forward);
      const body = request.body.replaceAll(tables.served, tables.own);
      const given = await handle({ ...request, body }, forward);
      return typeof given === 'object'
        ? { ...given, body: `${given.body}`.replaceAll(tables.own, tables.served) }
        : given;
    },
  };
  const reset = (tables?: TableNames) => Object.assign(proxy, newSession(tables));
  return Object.assign(proxy, { reset });
};

export type AwsProxy = Awaited<ReturnType<typeof startAwsProxy>>;
