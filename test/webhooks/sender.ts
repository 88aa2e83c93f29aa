import type { Socket } from 'node:net';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { createAwsJsonApi } from '../../cdk/local/events/aws-json-api.ts';
import { awsError } from '../../cdk/local/events/aws-json-client.ts';
import { recordOf } from '../../cdk/local/events/queue-poller.ts';
import type { ReceivedMessage } from '../../cdk/local/events/sqs-queue.ts';
import { createQueue } from '../../cdk/local/events/sqs-queue.ts';
import { openState } from '../../cdk/local/state.ts';
import { serve } from '../support/http.ts';

/** With `error`, reading the version fails. */
export interface SecretVersion {
  readonly value?: string;
  /** In milliseconds since 1970. */
  readonly createdAt?: number;
  readonly error?: string;
}

/** Local queues over HTTP, and secrets that a test controls. */
export const startFakeAws = async () => {
  const state = openState();
  const [queue, deadLetterQueue] = ['Queue', 'DeadLetterQueue'].map(id =>
    createQueue({ id, visibilityTimeout: 180 }, state),
  );
  const aws = {
    calls: [] as {
      readonly operation: string;
      readonly input: Readonly<Record<string, unknown>>;
    }[],
    /** `<name> <stage>` → the version. The function may read every secret that exists. */
    secrets: new Map<string, SecretVersion>(),
    queue: queue!,
    deadLetterQueue: deadLetterQueue!,
    /**
     * How the connection of a call breaks: it is reset, closes before or after the execution (`lost`), or nothing happens
     * (`stall`). A kept connection has had a call before.
     */
    breaks: (
      _operation: string,
      _isKept: boolean,
    ): 'reset' | 'close' | 'lost' | 'stall' | undefined => undefined,
  };
  const handleCall = createAwsJsonApi({
    bus: { putEvents: () => ({}) },
    queues: new Map(Object.entries({ Queue: queue!, DeadLetterQueue: deadLetterQueue! })),
    getSecretValue: ({ SecretId, VersionStage }) => {
      const version = aws.secrets.get(`${SecretId} ${VersionStage}`);
      // For an unknown name, AWS compares the bare name with the function's policy, which expects six more characters. So it
      // returns AccessDeniedException (github.com/nautobot/nautobot-app-secrets-providers/issues/64).
      const exists = [...aws.secrets.keys()].some(key => key.startsWith(`${SecretId} `));
      if (!version)
        throw awsError(exists ? 'ResourceNotFoundException' : 'AccessDeniedException', 'injected');
      if (version.error) throw awsError(version.error, 'injected');
      return { SecretString: version.value, CreatedDate: (version.createdAt ?? 0) / 1000 };
    },
  });
  const used = new WeakSet<Socket>();
  const { url: origin, stop } = await serve(({ socket, headers }, body, response) => {
    const isKept = used.has(socket);
    used.add(socket);
    const target = String(headers['x-amz-target']);
    const operation = target.split('.')[1]!;
    aws.calls.push({ operation, input: JSON.parse(String(body)) });
    const how = aws.breaks(operation, isKept);
    if (how === 'reset') socket.resetAndDestroy();
    if (how === 'close' || how === 'lost') socket.destroy();
    if (how && how !== 'lost') return;
    handleCall(target, String(body), response);
  });
  return Object.assign(aws, { origin, stop });
};

export type FakeAws = Awaited<ReturnType<typeof startFakeAws>>;

/** As Lambda passes a message to the function. */
export const receiveRecord = ({ queue }: FakeAws, from = 'Queue'): SQSRecord => {
  const { Messages } = queue.receiveMessage({}) as { Messages: ReceivedMessage[] };
  return recordOf(from, Messages[0]!) as object as SQSRecord;
};

export type Handler = (event: SQSEvent, context: object) => Promise<SQSBatchResponse>;
