import { countDigits, generationDigits } from '../../lib/events/cloud-event.ts';
import { type EventType, eventTypes } from '../../lib/events/event-types.ts';
import { ref } from './references.ts';
import type { Schema } from './to-schema.ts';

/** The schema names of events, by the schema of their data. */
export const eventSchemaNames = {
  Pet: 'PetEvent',
  Category: 'CategoryEvent',
  InventoryItem: 'InventoryEvent',
  Order: 'OrderEvent',
} as const;
type Data = keyof typeof eventSchemaNames;

const nouns: Readonly<Record<Data, string>> = {
  Pet: 'pet',
  Category: 'category',
  InventoryItem: 'inventory',
  Order: 'order',
};

const sequencePattern = `[0-9]{${generationDigits}}-[0-9]{${countDigits}}`;
/** Ids and counts have the same number of digits: both are at most 2^53 − 1. */
const idPattern = `[1-9][0-9]{0,${countDigits - 1}}`;

/** A CloudEvent 1.0 with data of one schema of the API. Fields may be added within 1.x, so additional ones are allowed. */
const eventOf = (data: Data): Schema => {
  const noun = nouns[data];
  const types = (Object.keys(eventTypes) as EventType[]).filter(type => type.startsWith(`petstore.${noun}.`));
  const path = eventTypes[types[0]!];
  const subject = `${path}/${idPattern}`;
  const type = `petstore\\.${noun}\\.[a-z]+`;
  const clientid = {
    type: 'string',
    maxLength: 128,
    pattern: '^\\S+$',
    description: 'The client that placed the order',
    example: 'shop',
  };
  const properties: Record<string, Schema> = {
    specversion: { type: 'string', enum: ['1.0'], description: 'The version of CloudEvents', example: '1.0' },
    id: {
      type: 'string',
      maxLength: 128,
      pattern: `^${subject}/${sequencePattern}/[a-z]+$`,
      description: 'The same for each delivery and after republishing',
      example: `${path}/243719355140437/0001-0000000000000001/${types[0]!.split('.').at(-1)}`,
    },
    source: {
      type: 'string',
      maxLength: 64,
      pattern: '^/petstore/\\S+$',
      description: 'The service and its stage',
      example: '/petstore/prod',
    },
    type: {
      type: 'string',
      maxLength: 64,
      pattern: `^${type}$`,
      // An open enumeration: receivers ignore unknown types.
      'x-extensible-enum': types,
      description: `The event type. More types may be added. Now one of ${types.map(name => `\`${name}\``).join(', ')}`,
      example: types[0],
    },
    subject: {
      type: 'string',
      maxLength: 64,
      pattern: `^${subject}$`,
      description: 'The resource, as a path of this API',
      example: `${path}/243719355140437`,
    },
    time: {
      type: 'string',
      format: 'date-time',
      maxLength: 64,
      description:
        'The commit time, to the second; for a republished event, the time of republication. Order events by `sequence`',
      example: '2027-01-04T09:00:00Z',
    },
    datacontenttype: {
      type: 'string',
      enum: ['application/json'],
      description: 'The media type of the data',
      example: 'application/json',
    },
    sequence: {
      type: 'string',
      maxLength: generationDigits + 1 + countDigits,
      pattern: `^${sequencePattern}$`,
      description:
        'Orders the events of one subject by string comparison. Events of one change have the same sequence. If they also have the same subject, their data is equal. Ignore events that are older than the newest one you have',
      example: '0001-0000000000000001',
    },
    data: ref('schemas', data),
    ...(data === 'Order' && { clientid }),
  };
  return {
    description: `A change of ${data === 'InventoryItem' ? 'the stock of a pet' : `${data === 'Order' ? 'an' : 'a'} ${noun}`}, as a CloudEvent 1.0 in JSON.`,
    type: 'object',
    properties,
    required: Object.keys(properties),
  };
};

export const eventSchemas: Record<string, Schema> = Object.fromEntries(
  (Object.keys(eventSchemaNames) as Data[]).map(data => [eventSchemaNames[data], eventOf(data)]),
);
