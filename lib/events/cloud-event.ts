import type { Telling } from './changes.ts';
import { type EventData, type EventType, eventTypes } from './event-types.ts';

/** CloudEvents 1.0 in JSON (github.com/cloudevents/spec, v1.0.2), with the extensions `sequence` and `clientid`. */
export interface CloudEvent {
  readonly specversion: '1.0';
  /** The same each time the event is delivered or told again. */
  readonly id: string;
  readonly source: string;
  readonly type: EventType;
  /** The path of the resource. */
  readonly subject: string;
  /** Of the commit, to the second, RFC 3339. Order by `sequence`, not by it. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** Text order is the order of the events of one subject; those of one change share it, and then carry equal data. */
  readonly sequence: string;
  /** Of an order: the client through which it was placed. */
  readonly clientid?: string;
  readonly data: EventData;
}

/** Who tells: the service and stage, and how often its table has been another. */
export interface Origin {
  readonly source: string;
  /** 1 … 9999 */
  readonly generation: number;
}

/** Digits of the two parts of a sequence: of the generation, and of the count, which is at most 2^53 − 1. */
export const generationDigits = 4;
export const countDigits = 16;

export const maxGeneration = 10 ** generationDigits - 1;

const sequenceOf = (generation: number, count: number) =>
  `${String(generation).padStart(generationDigits, '0')}-${String(count).padStart(countDigits, '0')}`;

const toTheSecond = (time: Date) => time.toISOString().replace(/\.\d+/, '');

export const toCloudEvent = (
  { type, id, data, count, clientId }: Telling,
  { source, generation }: Origin,
  time: Date,
): CloudEvent => {
  const subject = `${eventTypes[type].path}/${id}`;
  const sequence = sequenceOf(generation, count);
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
