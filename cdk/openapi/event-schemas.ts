import { countDigits, generationDigits } from '../../lib/events/cloud-event.ts';
import { type EventType, eventTypes } from '../../lib/events/event-types.ts';
import { ref } from './references.ts';
import type { Schema } from './to-schema.ts';

/** The schemas of events, by the schema of their data. */
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
/** An id has as many digits as a count: both are at most 2^53 − 1. */
const idPattern = `[1-9][0-9]{0,${countDigits - 1}}`;

/** A CloudEvent 1.0 whose data is one schema of the API. It may grow within 1.x, so it does not forbid further fields. */
const eventOf = (data: Data): Schema => {
  const noun = nouns[data];
  const types = (Object.keys(eventTypes) as EventType[]).filter(type => type.startsWith(`petstore.${noun}.`));
  const { path } = eventTypes[types[0]!];
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
      description: 'The same each time the event is delivered or told again',
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
      // Open: a receiver passes over what it does not know.
      'x-extensible-enum': types,
      description: `What happened. There may be more than these: ${types.map(known => `\`${known}\``).join(', ')}`,
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
        'When the change was committed, to the second; of what is told anew when it was told. Order by `sequence`, not by it',
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
        'Its order, as text, among the events of one subject. Those of one change share it, and then carry equal data. Drop what is older than what you have',
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
