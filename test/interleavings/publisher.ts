import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';
import { eventBridge, sqs } from '../../lib/events/clients.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { type BatchResult as Outcome, publishChanges } from '../../lib/events/publish-changes.ts';
import { withinRequest } from '../../lib/request-context.ts';
import { connectionLost, requestAborted } from './faults.ts';
import { Process, processes } from './virtual.ts';

/** How long a batch may take, in milliseconds: what lib/events/handle-stream.ts leaves of the publisher's 30 seconds. */
const publisherTimeout = 29_000;

/**
 * A fault of one call.
 * - `rejected`: the service executes nothing of it.
 * - `responseLost`: executed, but the connection breaks before the response.
 * - `timeout`: executed, but the caller waits until it aborts.
 * - `frozen`: executed, but after the response the invocation has no time left.
 * - `killed`: executed, and the process ends; Lambda gets no response.
 */
export type CallFault = 'rejected' | 'responseLost' | 'timeout' | 'frozen' | 'killed';

/** The faults that are injected while one stream is published. */
export interface PublisherFaults {
  /** The id of an event that the bus always rejects. */
  readonly alwaysRejected?: string;
  /** The id of an event that is too large for any call. */
  readonly tooLarge?: string;
  /** The id of an event that the bus rejects the first `times` times. */
  readonly rejectedAtFirst?: { readonly id: string; readonly times: number };
  /** The calls to the bus that fail: `times` calls, starting with call `from`. */
  readonly bus?: { readonly from: number; readonly times: number; readonly fault: CallFault };
  /** The call to the queue that fails. */
  readonly queue?: { readonly at: number; readonly fault: CallFault };
}

/** One invocation of the publisher. It has no outcome when it was killed. */
export interface Invocation {
  readonly batch: readonly DynamoDBRecord[];
  readonly outcome?: Outcome;
  /** Ids of the events that the bus acknowledged to the publisher. */
  readonly acknowledged: readonly string[];
  /** Sequence numbers of the records that the queue acknowledged to the publisher. */
  readonly deadLettered: readonly string[];
}

/** The result of publishing a stream. */
export interface PublishedStream {
  /** Events in the order in which the bus received them. */
  readonly events: readonly CloudEvent[];
  /** Sequence numbers of the records in the dead-letter queue. */
  readonly deadLettered: readonly string[];
  /** How many calls the bus and the queue received. */
  readonly calls: { readonly bus: number; readonly queue: number };
}

export const sequenceNumberOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb!.SequenceNumber!;

const tooLarge = () => Object.assign(new Error('Total size of the entries'), { name: 'ValidationException' });

/** The real publisher, with an in-memory event bus and queue that fail as `faults` says. */
class Publisher {
  readonly events: CloudEvent[] = [];
  readonly deadLettered: string[] = [];
  readonly calls = { bus: 0, queue: 0 };
  private readonly faults: PublisherFaults;
  private process = new Process(0);
  private isKilled = false;
  private rejections = 0;
  private acknowledgedEvents: string[] = [];
  private acknowledgedRecords: string[] = [];

  constructor(faults: PublisherFaults) {
    this.faults = faults;
    eventBridge.send = ((command: PutEventsCommand, { abortSignal }: { abortSignal: AbortSignal }) =>
      this.putEvents(command, abortSignal)) as never;
    sqs.send = ((command: SendMessageCommand, { abortSignal }: { abortSignal: AbortSignal }) =>
      this.sendMessage(command, abortSignal)) as never;
  }

  /** Injects the faults that follow the execution of a call. */
  private async respond(fault: CallFault | undefined, signal: AbortSignal) {
    if (fault === 'responseLost') throw connectionLost();
    if (fault === 'frozen') this.process.now += publisherTimeout;
    if (fault === 'killed') this.isKilled = true;
    if (fault === 'timeout' || fault === 'killed')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(requestAborted())));
  }

  private async putEvents({ input }: PutEventsCommand, signal: AbortSignal) {
    const call = ++this.calls.bus;
    const { alwaysRejected, rejectedAtFirst, bus } = this.faults;
    const fault = bus && call >= bus.from && call < bus.from + bus.times ? bus.fault : undefined;
    const events: CloudEvent[] = input.Entries!.map(({ Detail }) => JSON.parse(Detail!));
    if (fault === 'rejected') throw Object.assign(new Error('unavailable'), { name: 'ServiceUnavailableException' });
    if (events.some(({ id }) => id === this.faults.tooLarge)) throw tooLarge();
    const accepted: string[] = [];
    const Entries = events.map(event => {
      if (event.id === alwaysRejected) return { ErrorCode: 'MalformedDetail' };
      if (event.id === rejectedAtFirst?.id && this.rejections++ < rejectedAtFirst.times)
        return { ErrorCode: 'ThrottlingException' };
      this.events.push(event);
      accepted.push(event.id);
      return { EventId: event.id };
    });
    await this.respond(fault, signal);
    this.acknowledgedEvents.push(...accepted);
    return { Entries };
  }

  private async sendMessage({ input }: SendMessageCommand, signal: AbortSignal) {
    const call = ++this.calls.queue;
    const fault = this.faults.queue?.at === call ? this.faults.queue.fault : undefined;
    if (fault === 'rejected') throw Object.assign(new Error('unavailable'), { name: 'ServiceUnavailable' });
    const number = sequenceNumberOf(JSON.parse(input.MessageBody!).record);
    this.deadLettered.push(number);
    await this.respond(fault, signal);
    this.acknowledgedRecords.push(number);
    return {};
  }

  async invoke(batch: readonly DynamoDBRecord[]): Promise<Invocation> {
    this.process = new Process(0);
    this.isKilled = false;
    this.acknowledgedEvents = [];
    this.acknowledgedRecords = [];
    let getOutcome: (() => Outcome) | undefined;
    processes
      .run(this.process, () => withinRequest(publisherTimeout, () => publishChanges(batch)))
      .then(
        outcome => {
          getOutcome = () => outcome;
        },
        error => {
          getOutcome = () => {
            throw error;
          };
        },
      );
    for (;;) {
      await nextTurn();
      const { acknowledgedEvents: acknowledged, acknowledgedRecords: deadLettered } = this;
      if (this.isKilled) return { batch, acknowledged, deadLettered };
      if (getOutcome) return { batch, acknowledged, deadLettered, outcome: getOutcome() };
      if (!this.process.wait()) throw new Error('The publisher waits, but no timer is set');
    }
  }
}

/**
 * The batches that Lambda retries: the records from the first failure on, or, when the invocation gave no response, the whole
 * batch in two halves (BisectBatchOnFunctionError).
 */
const retriesOf = ({ batch, outcome }: Invocation): (readonly DynamoDBRecord[])[] => {
  if (!outcome) {
    const middle = Math.ceil(batch.length / 2);
    return [batch.slice(0, middle), batch.slice(middle)].filter(({ length }) => length > 0);
  }
  const from =
    outcome.failed && batch.findIndex(record => sequenceNumberOf(record) === sequenceNumberOf(outcome.failed!.record));
  return from === undefined ? [] : [batch.slice(from)];
};

/** No fault repeats as often, so more invocations mean an endless loop. */
const maxInvocations = 100;

/**
 * Publishes a stream as Lambda does: batch after batch, each until all its records are handled.
 * @param onInvocation is called after each invocation
 */
export const publishStream = async (
  stream: readonly DynamoDBRecord[],
  batchSize: number,
  faults: PublisherFaults,
  onInvocation: (invocation: Invocation) => void,
): Promise<PublishedStream> => {
  const publisher = new Publisher(faults);
  const batches: (readonly DynamoDBRecord[])[] = [];
  for (let start = 0; start < stream.length; start += batchSize) batches.push(stream.slice(start, start + batchSize));
  for (let invocations = 1; batches.length > 0; invocations++) {
    if (invocations > maxInvocations) throw new Error(`The publisher is not done after ${maxInvocations} invocations`);
    const invocation = await publisher.invoke(batches.shift()!);
    onInvocation(invocation);
    batches.unshift(...retriesOf(invocation));
  }
  return publisher;
};
