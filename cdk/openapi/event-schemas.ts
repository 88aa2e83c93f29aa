import { countDigits, generationDigits } from '../../lib/events/cloud-event.ts';
import { eventTypes } from '../../lib/events/event-types.ts';
import { type Resource, resources } from '../../lib/model/kinds.ts';
import { componentOf } from './schemas.ts';
import { pascalCase, type Schema, text } from './to-schema.ts';

/** `pet` → `PetEvent` */
export const eventSchemaOf = (noun: string): string => `${pascalCase(noun)}Event`;

const sequencePattern = `[0-9]{${generationDigits}}-[0-9]{${countDigits}}`;
/** Ids and counts have the same number of digits: both are at most 2^53 − 1. */
const idPattern = `[1-9][0-9]{0,${countDigits - 1}}`;

const textLike = (
  maxLength: number,
  pattern: string,
  description: string,
  example: string,
): Schema => {
  return { ...text(maxLength, `^${pattern}$`), description, example };
};
const constant = (value: string, description: string): Schema => {
  return { type: 'string', enum: [value], description, example: value };
};

/** Additional fields are allowed, because fields may be added within 1.x. */
const eventOf = ({ noun, path, schema }: Resource): Schema => {
  const types = eventTypes.filter(type => type.startsWith(`petstore.${noun}.`));
  const subject = `${path}/${idPattern}`;
  const example = `${path}/243719355140437`;
  const verb = types[0]!.split('.').at(-1);
  const type = `The event type. More types may be added. Now one of ${types.map(name => `\`${name}\``).join(', ')}`;
  const properties: Record<string, Schema> = {
    specversion: constant('1.0', 'The version of CloudEvents'),
    id: textLike(
      128,
      `${subject}/${sequencePattern}/[a-z]+`,
      'The same for each delivery and after republishing',
      `${example}/0001-0000000000000001/${verb}`,
    ),
    source: textLike(64, '[/]petstore/[!-~]+', 'The service and its stage', '/petstore/prod'),
    // An open enumeration: receivers ignore unknown types.
    type: {
      ...textLike(64, `petstore\\.${noun}\\.[a-z]+`, type, types[0]!),
      'x-extensible-enum': types,
    },
    subject: textLike(64, subject, 'The resource, as a path of this API', example),
    time: {
      type: 'string',
      format: 'date-time',
      description:
        'The commit time, to the second; for a republished event, the time of republication. Order events by `sequence`',
      example: '2027-01-04T09:00:00Z',
    },
    datacontenttype: constant('application/json', 'The media type of the data'),
    sequence: textLike(
      generationDigits + 1 + countDigits,
      sequencePattern,
      'Orders the events of one subject by string comparison. Events of one change have the same sequence. If they also have the same subject, their data is equal. Ignore events that are older than the newest one you have',
      '0001-0000000000000001',
    ),
    data: componentOf(schema),
    ...(noun === 'order' && {
      clientid: textLike(128, '[!-~]+', 'The client that placed the order', 'shop'),
    }),
  };
  const description = `A change of \`${path}/{id}\`, as a CloudEvent 1.0 in JSON.`;
  return { description, type: 'object', properties, required: Object.keys(properties) };
};

export const eventSchemas: Record<string, Schema> = Object.fromEntries(
  resources.map(resource => [eventSchemaOf(resource.noun), eventOf(resource)]),
);
