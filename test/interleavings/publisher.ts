import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';
import { eventBridge, sqs } from '../../lib/events/clients.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { type Told as Outcome, tellChanges } from '../../lib/events/tell-changes.ts';
import { withinRequest } from '../../lib/request-context.ts';
import { connectionLost, givenUp } from './faults.ts';
import { Process, processes } from './virtual.ts';

/** How long a batch may take, in milliseconds: what lib/events/handle-stream.ts leaves of the publisher's 30 seconds. */
const patience = 29_000;

/**
 * What may happen to a call. `refused`: nothing of it is taken. `lost`: taken, and its answer does not arrive. `stalls`: the
 * same, and the caller waits until it gives up. `frozen`: answered, and then no time is left. `killed`: taken, and the process
 * ends; Lambda has no answer.
 */
export type Blow = 'refused' | 'lost' | 'stalls' | 'frozen' | 'killed';

/** What befalls the publisher while it tells one stream. */
export interface Trouble {
  /** The id of an event that the bus never takes. */
  readonly never?: string;
  /** The id of one that is too large for any call. */
  readonly tooLarge?: string;
  /** The id of one that is not taken at first, for so many times. */
  readonly later?: { readonly id: string; readonly times: number };
  /** Calls of the bus that are struck, from this one on. */
  readonly bus?: { readonly from: number; readonly times: number; readonly blow: Blow };
  /** A call of the queue that is struck. */
  readonly queue?: { readonly at: number; readonly blow: Blow };
}

/** What one invocation of the publisher was answered by bus and queue, and what it answered itself; killed, it has no outcome. */
export interface Invocation {
  readonly batch: readonly DynamoDBRecord[];
  readonly outcome?: Outcome;
  /** Ids of events of which it heard that they were taken. */
  readonly acknowledged: readonly string[];
  /** Sequence numbers of records of which it heard that they were kept. */
  readonly kept: readonly string[];
}

/** What a stream's telling came to. */
export interface Told {
  /** Events as they arrived on the bus. */
  readonly events: readonly CloudEvent[];
  /** Sequence numbers of the records that are in the queue, as they arrived there. */
  readonly kept: readonly string[];
  /** How often bus and queue were called. */
  readonly calls: { readonly bus: number; readonly queue: number };
}

export const sequenceNumberOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb!.SequenceNumber!;

const tooLarge = () => Object.assign(new Error('Total size of the entries'), { name: 'ValidationException' });

/** The real publisher, on a bus and a queue that are in trouble. */
class Publisher {
  readonly events: CloudEvent[] = [];
  readonly kept: string[] = [];
  readonly calls = { bus: 0, queue: 0 };
  private readonly trouble: Trouble;
  private process = new Process(0);
  private isKilled = false;
  private offers = 0;
  private acknowledged: string[] = [];
  private heardKept: string[] = [];

  constructor(trouble: Trouble) {
    this.trouble = trouble;
    eventBridge.send = ((command: PutEventsCommand, { abortSignal }: { abortSignal: AbortSignal }) =>
      this.take(command, abortSignal)) as never;
    sqs.send = ((command: SendMessageCommand, { abortSignal }: { abortSignal: AbortSignal }) =>
      this.keep(command, abortSignal)) as never;
  }

  /** What a call comes to that was carried out. */
  private async answered(blow: Blow | undefined, signal: AbortSignal) {
    if (blow === 'lost') throw connectionLost();
    if (blow === 'frozen') this.process.now += patience;
    if (blow === 'killed') this.isKilled = true;
    if (blow === 'stalls' || blow === 'killed')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(givenUp())));
  }

  private async take({ input }: PutEventsCommand, signal: AbortSignal) {
    const call = ++this.calls.bus;
    const { never, later, bus } = this.trouble;
    const blow = bus && call >= bus.from && call < bus.from + bus.times ? bus.blow : undefined;
    const events: CloudEvent[] = input.Entries!.map(({ Detail }) => JSON.parse(Detail!));
    if (blow === 'refused') throw Object.assign(new Error('unavailable'), { name: 'ServiceUnavailableException' });
    if (events.some(({ id }) => id === this.trouble.tooLarge)) throw tooLarge();
    const taken: string[] = [];
    const Entries = events.map(event => {
      if (event.id === never) return { ErrorCode: 'MalformedDetail' };
      if (event.id === later?.id && this.offers++ < later.times) return { ErrorCode: 'ThrottlingException' };
      this.events.push(event);
      taken.push(event.id);
      return { EventId: event.id };
    });
    await this.answered(blow, signal);
    this.acknowledged.push(...taken);
    return { Entries };
  }

  private async keep({ input }: SendMessageCommand, signal: AbortSignal) {
    const call = ++this.calls.queue;
    const blow = this.trouble.queue?.at === call ? this.trouble.queue.blow : undefined;
    if (blow === 'refused') throw Object.assign(new Error('unavailable'), { name: 'ServiceUnavailable' });
    const number = sequenceNumberOf(JSON.parse(input.MessageBody!).record);
    this.kept.push(number);
    await this.answered(blow, signal);
    this.heardKept.push(number);
    return {};
  }

  async invoke(batch: readonly DynamoDBRecord[]): Promise<Invocation> {
    this.process = new Process(0);
    this.isKilled = false;
    this.acknowledged = [];
    this.heardKept = [];
    let ended: (() => Outcome) | undefined;
    processes
      .run(this.process, () => withinRequest(patience, () => tellChanges(batch)))
      .then(
        outcome => {
          ended = () => outcome;
        },
        error => {
          ended = () => {
            throw error;
          };
        },
      );
    for (;;) {
      await nextTurn();
      const { acknowledged, heardKept: kept } = this;
      if (this.isKilled) return { batch, acknowledged, kept };
      if (ended) return { batch, acknowledged, kept, outcome: ended() };
      if (!this.process.wait()) throw new Error('The publisher waits for nothing');
    }
  }
}

/** What of a batch comes again: from the first that failed on; when there was no answer, all of it in two halves. */
const againOf = ({ batch, outcome }: Invocation): (readonly DynamoDBRecord[])[] => {
  if (!outcome) {
    const middle = Math.ceil(batch.length / 2);
    return [batch.slice(0, middle), batch.slice(middle)].filter(({ length }) => length > 0);
  }
  const from =
    outcome.failed && batch.findIndex(one => sequenceNumberOf(one) === sequenceNumberOf(outcome.failed!.record));
  return from === undefined ? [] : [batch.slice(from)];
};

/** Batches that take longer than this are told for ever: no trouble here strikes as often. */
const enough = 100;

/**
 * Tells a stream as Lambda has it told: batch after batch, each until all of it is told.
 * @param look is shown each invocation
 */
export const tellStream = async (
  stream: readonly DynamoDBRecord[],
  batchSize: number,
  trouble: Trouble,
  look: (invocation: Invocation) => void,
): Promise<Told> => {
  const publisher = new Publisher(trouble);
  const waiting: (readonly DynamoDBRecord[])[] = [];
  for (let start = 0; start < stream.length; start += batchSize) waiting.push(stream.slice(start, start + batchSize));
  for (let invocations = 1; waiting.length > 0; invocations++) {
    if (invocations > enough) throw new Error('The publisher comes to no end');
    const invocation = await publisher.invoke(waiting.shift()!);
    look(invocation);
    waiting.unshift(...againOf(invocation));
  }
  return publisher;
};
