import { pathOf } from '../model/kinds.ts';
import type { ItemEvent } from './changes.ts';
import type { EventData, EventType } from './event-types.ts';

/** CloudEvents 1.0 in JSON (github.com/cloudevents/spec, v1.0.2), with the extensions `sequence` and `clientid`. */
export interface CloudEvent {
  readonly specversion: '1.0';
  /** The same for every delivery and republication. Without dots, because `webhook-id` must not have any. */
  readonly id: string;
  readonly source: string;
  readonly type: EventType;
  /** The path of the resource. */
  readonly subject: string;
  /** The time of the commit or the republication, to the second (RFC 3339). Do not order by it, but by `sequence`. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /**
   * Orders the events of one subject: a later write has a greater string. Events of one write to one item have the same sequence.
   * If they also have the same subject, their data is equal.
   */
  readonly sequence: string;
  /** Of an order: the client through which it was placed. */
  readonly clientid?: string;
  readonly data: EventData;
}

/** The part of an event that depends on the stage. */
export interface Origin {
  readonly source: string;
  /** 1 … 9999. Raised when the stage adopts another table, whose write counts are unrelated. */
  readonly generation: number;
}

/** Digits of the two parts of a sequence: generation, and write count (at most 2^53 − 1). */
export const generationDigits = 4;
export const countDigits = 16;

export const maxGeneration = 10 ** generationDigits - 1;

const sequenceOf = (generation: number, writeCount: number) =>
  `${String(generation).padStart(generationDigits, '0')}-${String(writeCount).padStart(countDigits, '0')}`;

const toTheSecond = (time: Date) => time.toISOString().replace(/\.\d+/, '');

export const toCloudEvent = (
  { type, id, data, writeCount, clientId }: ItemEvent,
  { source, generation }: Origin,
  time: Date,
): CloudEvent => {
  const subject = `${pathOf(type.split('.')[1]!)}/${id}`;
  const sequence = sequenceOf(generation, writeCount);
  const [action] = type.split('.').slice(-1);
  return {
    specversion: '1.0',
    id: `${subject}/${sequence}/${action}`,
    source,
    type,
    subject,
    time: toTheSecond(time),
    datacontenttype: 'application/json',
    sequence,
    ...(clientId !== undefined && { clientid: clientId }),
    data,
  };
};
