import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { accessDenied, conditionFailed, type Refusal, refusals } from './error-responses.ts';

/** One call of a function to DynamoDB. */
export interface Call {
  /** Logical id of the function, which it carries as its access key. */
  readonly function: string;
  /** `GetItem`, `TransactWriteItems`, … */
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: any request of DynamoDB
  readonly body: any;
}

/** What an engine answered. */
export interface Answer {
  readonly call: Call;
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any response of DynamoDB
  readonly body: any;
}

/**
 * What can happen to a call on its way. `conflict`, `throttle`, `error`, `inProgress`, `mismatch`: DynamoDB refuses.
 * `refuse`: the condition of the transaction's first write does not hold, whatever it is. `cutBefore`: the connection
 * breaks before the call arrives; `cutAfter`: after it was carried out; `cutLate`: it breaks at once, and the call arrives when
 * the test says so; `stallAfter`: it was carried out and the answer never comes. `delay`: the answer takes so many
 * milliseconds; `meanwhile`: something else is done before the call arrives; `rewrite`: the answer is another.
 */
export type Fault =
  | keyof typeof refusals
  | 'refuse'
  | 'cutBefore'
  | 'cutAfter'
  | 'cutLate'
  | 'stallAfter'
  | { readonly delay: number }
  | { readonly meanwhile: () => Promise<unknown> }
  // biome-ignore lint/suspicious/noExplicitAny: any response of DynamoDB
  | { readonly rewrite: (body: any) => unknown };

export interface DynamoDbProxy {
  readonly url: string;
  /** The engine that calls go to; another, when one takes the place of one that was killed. */
  target: string;
  /** Decides a call's fate; replaced by a test at will. */
  faultFor: (call: Call) => Fault | undefined;
  /** Says why a call is not allowed, or nothing. */
  denial: (call: Call) => string | undefined;
  /** What the engine is asked to say of consumed capacity, instead of the total alone; replaced by a test at will. */
  capacity: 'TOTAL' | 'INDEXES';
  readonly answers: Answer[];
  readonly denials: string[];
  /** Calls cut off by `cutLate`; calling one lets it arrive. */
  readonly late: (() => Promise<Answer>)[];
  /** Callers that still wait for an answer that never comes. */
  readonly stalled: Set<Call>;
  readonly stop: () => Promise<void>;
}

/** What DynamoDB calls every request here. */
export const dynamoDbRequestId = 'ID0OF0A0CALL0TO0DYNAMODB';

const readAll = async (stream: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** The name of a table as the functions know it, and that of the table which takes its place. */
export interface TableNames {
  readonly served: string;
  readonly own: string;
}

/** A proxy for several tests, one after the other: each begins with one as new, and with a table of its own. */
export interface SharedDynamoDbProxy {
  readonly url: string;
  readonly begin: (names?: TableNames) => DynamoDbProxy;
  readonly stop: () => Promise<void>;
}

/** Stands between the functions and an engine: sees every call, enforces permissions and injects faults. */
export const shareDynamoDbProxy = async (endpoint: string): Promise<SharedDynamoDbProxy> => {
  const agent = new Agent({ keepAlive: true });
  /** What is done before a call arrives: its repeat must not overtake it. */
  const meanwhile = new Map<string, Promise<unknown>>();
  let names: TableNames | undefined;
  let current: DynamoDbProxy;

  const forward = async (incoming: IncomingHttpHeaders, body: string) => {
    const target = new URL(current.target);
    const headers = { ...incoming, host: target.host, 'content-length': Buffer.byteLength(body) };
    const outgoing = send({ agent, host: target.hostname, port: target.port, method: 'POST', path: '/', headers });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: answer.statusCode!, body: JSON.parse((await readAll(answer)).toString() || '{}') };
  };

  /** The item that the first write of a transaction is about, as it is. */
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
      answers: [],
      denials: [],
      late: [],
      stalled: new Set(),
      stop,
    };
    return current;
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const proxy = current;
    const tables = names;
    const text = (await readAll(incoming)).toString();
    const raw = tables ? text.replaceAll(tables.served, tables.own) : text;
    const { headers } = incoming;
    const call: Call = {
      function: /Credential=(\w+)\//.exec(headers.authorization ?? '')?.[1] ?? '',
      operation: String(headers['x-amz-target']).split('.')[1]!,
      body: JSON.parse(raw),
    };
    const respond = ({ status, body }: Refusal | Answer) =>
      response
        .writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0', 'x-amzn-RequestId': dynamoDbRequestId })
        .end(tables ? JSON.stringify(body).replaceAll(tables.own, tables.served) : JSON.stringify(body));
    const deliver = async (): Promise<Answer> => {
      const asked = raw.replace('"ReturnConsumedCapacity":"TOTAL"', `"ReturnConsumedCapacity":"${proxy.capacity}"`);
      const answer = { call, ...(await forward(headers, asked)) };
      proxy.answers.push(answer);
      return answer;
    };

    const deliverUnseen = async (): Promise<Answer> => ({ call, ...(await forward(headers, raw)) });

    const denial = proxy.denial(call);
    if (denial) {
      proxy.denials.push(denial);
      return respond(accessDenied);
    }
    // Lambda's own reading of the stream, which no request waits for.
    if (String(headers['x-amz-target']).startsWith('DynamoDBStreams')) return respond(await deliverUnseen());
    await meanwhile.get(raw);
    const fault = proxy.faultFor(call);
    if (fault === 'cutBefore') return response.destroy();
    if (fault === 'cutLate') {
      proxy.late.push(deliver);
      return response.destroy();
    }
    if (fault === 'refuse') return respond(conditionFailed(call, await itemOf(headers, call)));
    if (typeof fault === 'string' && fault in refusals) return respond(refusals[fault as keyof typeof refusals](call));
    if (typeof fault === 'object' && 'meanwhile' in fault) {
      meanwhile.set(raw, fault.meanwhile());
      await meanwhile.get(raw);
      meanwhile.delete(raw);
    }
    const answer = await deliver();
    if (fault === 'cutAfter') return response.destroy();
    if (fault === 'stallAfter') {
      proxy.stalled.add(call);
      return response.on('close', () => proxy.stalled.delete(call));
    }
    if (typeof fault === 'object' && 'delay' in fault) await new Promise(resolve => setTimeout(resolve, fault.delay));
    if (typeof fault === 'object' && 'rewrite' in fault)
      return respond({ ...answer, body: fault.rewrite(answer.body) });
    return respond(answer);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  };
  return { url, begin, stop };
};

/** The same for one test. */
export const startDynamoDbProxy = async (endpoint: string): Promise<DynamoDbProxy> =>
  (await shareDynamoDbProxy(endpoint)).begin();
