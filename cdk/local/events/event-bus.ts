import { randomUUID } from 'node:crypto';
import { jsonOrUndefined } from '../../files/json-or-undefined.ts';
import { awsError } from './aws-json-client.ts';

/** Rules match the event, targets receive its `detail`. */
export interface BusEvent {
  readonly id: string;
  readonly source: string;
  readonly 'detail-type': string;
  /** RFC 3339. */
  readonly time: string;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON object
  readonly detail: any;
}

interface Entry {
  readonly EventBusName?: string;
  readonly Source?: string;
  readonly DetailType?: string;
  /** Seconds. */
  readonly Time?: number;
  readonly Detail?: string;
}

const maxEntries = 10;
/** Bytes of all entries together (EventBridge user guide, PutEvents quotas: 256 KB, unless the quota was raised). */
const maxBytes = 262_144;

const sizeOf = ({ Source = '', DetailType = '', Detail = '', Time }: Entry) =>
  Buffer.byteLength(Source + DetailType + Detail) + (Time === undefined ? 0 : 14);

/** As on AWS, the bus stores no events. `putEvents` throws for an invalid request, and returns an error for an invalid entry. */
export const createEventBus = (name: string) => {
  const listeners = new Set<(event: BusEvent) => void>();

  const putEvent = ({ EventBusName, Source, DetailType, Time, Detail }: Entry) => {
    if (EventBusName !== name || !Source || !DetailType)
      return {
        ErrorCode: 'InvalidArgument',
        ErrorMessage: `An entry needs Source, DetailType and the bus ${name}.`,
      };
    const detail = jsonOrUndefined(Detail);
    if (detail === null || typeof detail !== 'object' || Array.isArray(detail))
      return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
    const id = randomUUID();
    const time = new Date(Time === undefined ? Date.now() : Time * 1000).toISOString();
    for (const listen of listeners)
      listen({ id, source: Source, 'detail-type': DetailType, time, detail });
    return { EventId: id };
  };

  return {
    listeners,
    putEvents: ({ Entries: entries = [] }: { Entries?: readonly Entry[] }): object => {
      if (entries.length === 0 || entries.length > maxEntries)
        throw awsError(
          'ValidationException',
          `A request has 1 to ${maxEntries} entries, not ${entries.length}.`,
        );
      if (entries.reduce((sum, entry) => sum + sizeOf(entry), 0) > maxBytes)
        throw awsError(
          'ValidationException',
          'Total size of the entries in the request is over the limit.',
        );
      const results = entries.map(putEvent);
      return {
        FailedEntryCount: results.filter(result => 'ErrorCode' in result).length,
        Entries: results,
      };
    },
  };
};

export type LocalBus = ReturnType<typeof createEventBus>;
