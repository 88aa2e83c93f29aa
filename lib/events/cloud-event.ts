import { pathOf } from '../model/kinds.ts';
import type { ItemEvent } from './changes.ts';
import type { EventType } from './event-types.ts';

/** CloudEvents 1.0 in JSON (github.com/cloudevents/spec, v1.0.2), with the extensions `sequence` and `clientid`. */
export interface CloudEvent {
  readonly specversion: '1.0';
  /** The same for every delivery and republication. It has no dot, because the id in a signed header must have none. */
  readonly id: string;
  readonly source: string;
  readonly type: EventType;
  readonly subject: string;
  /** When the change was committed, or the event republished (RFC 3339, whole seconds). Order events by `sequence` instead. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /**
   * Orders the events of one subject: a later write has a greater string. All events of one write have the same sequence, and
   * those with the same subject also have the same data.
   */
  readonly sequence: string;
  /** The client through which an order was placed. */
  readonly clientid?: string;
  readonly data: object;
}

/** The part of an event that depends on the stage. */
export interface Origin {
  readonly source: string;
  /**
   * 1 … 9999, the first part of every `sequence`. The operator raises it when the stage adopts another table or returns to its
   * own, because the write counts of two tables cannot be compared.
   */
  readonly generation: number;
}

/** Of a `sequence`. The write count is at most 2^53 − 1. */
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
