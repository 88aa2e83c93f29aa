import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { createAwsJsonApi } from '../../cdk/local/events/aws-json-api.ts';
import { awsError } from '../../cdk/local/events/aws-json-client.ts';
import { type ReceivedMessage, recordOf } from '../../cdk/local/events/queue-poller.ts';
import { createQueue, type LocalQueue } from '../../cdk/local/events/sqs-queue.ts';
import { openState } from '../../cdk/local/state.ts';

/** With `error`, reading the version fails. */
export interface SecretVersion {
  readonly value?: string;
  /** In milliseconds since 1970. */
  readonly createdAt?: number;
  readonly error?: string;
}

export interface FakeAws {
  readonly origin: string;
  readonly calls: { readonly operation: string; readonly input: Readonly<Record<string, unknown>> }[];
  /** `<name> <stage>` → the version. The function may read every secret that exists. */
  readonly secrets: Map<string, SecretVersion>;
  readonly queue: LocalQueue;
  readonly deadLetterQueue: LocalQueue;
  /** The operations that fail. */
  readonly failing: Set<string>;
  /**
   * How the connection of a call breaks: it is reset, closes before or after the execution (`lost`), or nothing happens
   * (`stall`). A kept connection has had a call before.
   */
  breaks: (operation: string, isKept: boolean) => 'reset' | 'close' | 'lost' | 'stall' | undefined;
  readonly stop: () => void;
}

/** Local queues over HTTP, and secrets that a test controls. */
export const startFakeAws = async (): Promise<FakeAws> => {
  const state = openState();
  const queueOf = (id: string) => createQueue({ id, visibilityTimeout: 180 }, state);
  const queues = new Map(['Queue', 'DeadLetterQueue'].map(id => [id, queueOf(id)]));
  const calls: FakeAws['calls'] = [];
  const secrets: FakeAws['secrets'] = new Map();
  const failing = new Set<string>();
  const handleCall = createAwsJsonApi({
    bus: { putEvents: () => ({}) },
    queues,
    getSecretValue: ({ SecretId, VersionStage }) => {
      const version = secrets.get(`${SecretId} ${VersionStage}`);
      // For an unknown name, AWS compares the bare name with the function's policy, which expects six more characters. So it
      // returns AccessDeniedException (github.com/nautobot/nautobot-app-secrets-providers/issues/64).
      const exists = [...secrets.keys()].some(key => key.startsWith(`${SecretId} `));
      if (!version) throw awsError(exists ? 'ResourceNotFoundException' : 'AccessDeniedException', 'injected');
      if (version.error) throw awsError(version.error, 'injected');
      return { SecretString: version.value, CreatedDate: (version.createdAt ?? 0) / 1000 };
    },
  });
  const used = new WeakSet<Socket>();
  const server = createServer(async (request, response) => {
    const isKept = used.has(request.socket);
    used.add(request.socket);
    const target = String(request.headers['x-amz-target']);
    const operation = target.split('.')[1]!;
    const body = await text(request);
    calls.push({ operation, input: JSON.parse(body) });
    const how = aws.breaks(operation, isKept);
    if (how === 'reset') request.socket.resetAndDestroy();
    if (how === 'close' || how === 'lost') request.socket.destroy();
    if (how && how !== 'lost') return;
    if (failing.has(operation)) response.writeHead(503).end('{"__type":"ServiceUnavailable"}');
    else handleCall(target, body, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  const [queue, deadLetterQueue] = [queues.get('Queue')!, queues.get('DeadLetterQueue')!];
  const aws: FakeAws = { origin, calls, secrets, failing, breaks: () => undefined, queue, deadLetterQueue, stop };
  return aws;
};

/** As Lambda passes a message to the function. */
export const receiveRecord = ({ queue }: FakeAws, from = 'Queue'): SQSRecord => {
  const { Messages } = queue.receiveMessage({}) as { Messages: ReceivedMessage[] };
  return recordOf(from, Messages[0]!) as object as SQSRecord;
};

export type Handler = (event: SQSEvent, context: object) => Promise<SQSBatchResponse>;
