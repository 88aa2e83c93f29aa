import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { createAwsJsonApi } from '../../cdk/local/events/aws-json-api.ts';
import { awsError } from '../../cdk/local/events/aws-json-client.ts';
import { recordOf } from '../../cdk/local/events/queue-poller.ts';
import type { ReceivedMessage } from '../../cdk/local/events/sqs-queue.ts';
import { createQueue } from '../../cdk/local/events/sqs-queue.ts';
import { openState } from '../../cdk/local/state.ts';
import type { Call } from '../support/aws-json.ts';
import { type Fault, startAwsProxy } from '../support/aws-proxy.ts';
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
  /** `<name> <stage>` → the version. The function may read every secret that exists. */
  const secrets = new Map<string, SecretVersion>();
  const handleCall = createAwsJsonApi({
    bus: { putEvents: () => ({}) },
    queues: new Map(Object.entries({ Queue: queue!, DeadLetterQueue: deadLetterQueue! })),
    getSecretValue: ({ SecretId, VersionStage }) => {
      const version = secrets.get(`${SecretId} ${VersionStage}`);
      // For an unknown name, AWS compares the bare name with the function's policy, which expects six more characters. So it
      // returns AccessDeniedException (github.com/nautobot/nautobot-app-secrets-providers/issues/64).
      const exists = [...secrets.keys()].some(key => key.startsWith(`${SecretId} `));
      if (!version)
        throw awsError(exists ? 'ResourceNotFoundException' : 'AccessDeniedException', 'injected');
      if (version.error) throw awsError(version.error, 'injected');
      return { SecretString: version.value, CreatedDate: (version.createdAt ?? 0) / 1000 };
    },
  });
  const services = await serve(({ headers }, body, response) =>
    handleCall(String(headers['x-amz-target']), String(body), response),
  );
  const proxy = await startAwsProxy(services.url);
  const aws = {
    calls: [] as Call[],
    secrets,
    queue: queue!,
    deadLetterQueue: deadLetterQueue!,
    /** A kept connection has had a call before. */
    faultFor: (_operation: string, _isKept: boolean): Fault | undefined => undefined,
    url: proxy.url,
    stop: () => [services, proxy].forEach(({ stop }) => void stop()),
  };
  proxy.faultFor = (call, { isKept }) => {
    aws.calls.push(call);
    return aws.faultFor(call.operation, isKept);
  };
  return aws;
};

export type FakeAws = Awaited<ReturnType<typeof startFakeAws>>;

/** As Lambda passes a message to the function. */
export const receiveRecord = ({ queue }: FakeAws, from = 'Queue'): SQSRecord => {
  const { Messages } = queue.receiveMessage({}) as { Messages: ReceivedMessage[] };
  return recordOf(from, Messages[0]!) as object as SQSRecord;
};

export type Handler = (event: SQSEvent, context: object) => Promise<SQSBatchResponse>;
