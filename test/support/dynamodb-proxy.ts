import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

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
 * What can happen to a call on its way. `conflict`, `throttle`, `error`: DynamoDB refuses. `cutBefore`: the connection
 * breaks before the call arrives; `cutAfter`: after it was carried out; `stallAfter`: it was carried out and the answer
 * never comes.
 */
export type Fault =
  | 'conflict'
  | 'throttle'
  | 'error'
  | 'cutBefore'
  | 'cutAfter'
  | 'stallAfter'
  | { readonly delay: number };

export interface DynamoDbProxy {
  readonly url: string;
  /** Decides a call's fate; replaced by a test at will. */
  faultFor: (call: Call) => Fault | undefined;
  /** Says why a call is not allowed, or nothing. */
  denial: (call: Call) => string | undefined;
  readonly answers: Answer[];
  readonly denials: string[];
  readonly stop: () => Promise<void>;
}

const refusal = (type: string, extra: object = {}) => ({
  __type: `com.amazonaws.dynamodb.v20120810#${type}`,
  message: type,
  ...extra,
});

const refuse = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));

const conflict = ({ operation, body }: Call): object =>
  operation === 'TransactWriteItems'
    ? refusal('TransactionCanceledException', {
        CancellationReasons: body.TransactItems.map((_: unknown, index: number) => ({
          Code: index === 0 ? 'TransactionConflict' : 'None',
        })),
      })
    : refusal('ThrottlingException');

const readAll = async (stream: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Stands between the functions and an engine: sees every call, enforces permissions and injects faults. */
export const startDynamoDbProxy = async (endpoint: string): Promise<DynamoDbProxy> => {
  const agent = new Agent({ keepAlive: true });
  const target = new URL(endpoint);

  const forward = async (incoming: IncomingMessage, body: Buffer): Promise<{ status: number; body: Buffer }> => {
    const headers = { ...incoming.headers, host: target.host };
    const outgoing = send({ agent, host: target.hostname, port: target.port, method: 'POST', path: '/', headers });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: answer.statusCode!, body: await readAll(answer) };
  };

  const proxy: Omit<DynamoDbProxy, 'url' | 'stop'> = {
    faultFor: () => undefined,
    denial: () => undefined,
    answers: [],
    denials: [],
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const raw = await readAll(incoming);
    const call: Call = {
      function: /Credential=(\w+)\//.exec(incoming.headers.authorization ?? '')?.[1] ?? '',
      operation: String(incoming.headers['x-amz-target']).split('.')[1]!,
      body: JSON.parse(raw.toString()),
    };
    const denial = proxy.denial(call);
    if (denial) {
      proxy.denials.push(denial);
      return refuse(response, 400, refusal('AccessDeniedException'));
    }
    const fault = proxy.faultFor(call);
    if (fault === 'cutBefore') return response.destroy();
    if (fault === 'conflict') return refuse(response, 400, conflict(call));
    if (fault === 'throttle') return refuse(response, 400, refusal('ProvisionedThroughputExceededException'));
    if (fault === 'error') return refuse(response, 500, refusal('InternalServerError'));
    const answer = await forward(incoming, raw);
    proxy.answers.push({ call, status: answer.status, body: JSON.parse(answer.body.toString() || '{}') });
    if (fault === 'cutAfter') return response.destroy();
    if (fault === 'stallAfter') return undefined;
    if (fault) await new Promise(resolve => setTimeout(resolve, fault.delay));
    return response.writeHead(answer.status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(answer.body);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  });
};
