import fc from 'fast-check';
import * as z from 'zod/mini';
import { references } from '../../lib/model/references.ts';
import { operations, type RegisteredOperation } from '../../lib/operations/index.ts';
import { petStatuses } from '../../lib/schemas/pet.ts';
import type { ApiResponse } from '../support/petstore.ts';
import { pathOf } from '../support/requests.ts';
import {
  bySimpleId,
  nounOf as nounOfKind,
  resourceAt,
  type StoredNoun,
  storedNouns,
} from '../support/resources.ts';
import { type IdWithBody, sampleBody } from '../support/values.ts';
import { expected, type Sent } from './expected.ts';
import type { Actor, Expected, ReferenceStore } from './reference-store.ts';

/** Each id of a command is an index into the created ids: 0 is the newest, and a too large index wraps around. */
export interface Command {
  readonly do: keyof typeof expected;
  readonly actor?: Actor;
  readonly [field: string]: unknown;
}

export interface Call {
  readonly actor: Actor;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** The request needs the current entity tag. */
  readonly tagged?: boolean;
}

const optional = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
/** Mostly selects the newest resources, because older ones may be deleted. */
const index = fc.oneof(fc.nat(3), fc.nat(20));
const name = fc.constantFrom('Tom', 'Kit');
const status = fc.constantFrom(...petStatuses);

const actor = fc.constantFrom<Actor>('staff', 'shop', 'rival');
const quantity = fc.integer({ min: 1, max: 4 });
const shipDate = fc.constantFrom('2027-01-01T00:00:00Z', '2028-02-29T12:00:00+01:00', null);
const complete = fc.boolean();
const orderChanges = { shipDate: optional(shipDate), complete: optional(complete) };

/** Two values of each field that callers set, as they are stored. */
const fieldsOf = (id: IdWithBody): Record<string, fc.Arbitrary<unknown>> => {
  const { body } = operations[id].request;
  const samples = [1, 2].map(seed => body.parse(sampleBody(id, seed)) as Record<string, unknown>);
  const arbitraryOf = (field: string) => {
    const values = fc.constantFrom(...samples.map(sample => sample[field]));
    return body.safeParse({ ...samples[0], [field]: undefined }).success
      ? optional(values)
      : values;
  };
  return Object.fromEntries(Object.keys(samples[0]!).map(field => [field, arbitraryOf(field)]));
};

type Row = readonly [weight: number, fields: Record<string, fc.Arbitrary<unknown>>];
/** Operation → how often it is generated, and its fields. All but `actor` are sent in path or body. */
const rows: Record<keyof typeof expected, Row> = {
  ...bySimpleId<Row>(({ create, idName }) => {
    const [fields, id] = [fieldsOf(create), { [idName]: index }];
    return [
      [1, fields],
      [1, { ...id, ...fields }],
      [1, id],
    ];
  }),
  createPet: [3, { ...fieldsOf('createPet'), name, status: optional(status) }],
  replacePet: [2, { petId: index, ...fieldsOf('replacePet'), name, status: optional(status) }],
  updatePet: [3, { petId: index, status }],
  deletePet: [1, { petId: index }],
  setInventory: [3, { petId: index, quantity: fc.nat(5), units: optional(fc.constant('stocked')) }],
  placeOrder: [8, { actor, petId: index, quantity, complete }],
  getOrder: [1, { actor, orderId: index }],
  updateOrder: [4, { actor, orderId: index, ...orderChanges }],
  cancelOrder: [3, { actor, orderId: index }],
};

/** Of the item that the command creates or changes. */
export const nounOf = (command: Command): StoredNoun => {
  const { noun } = resourceAt(operations[command.do])!;
  return noun === 'inventory' ? 'pet' : noun;
};

/** Of the references that an operation writes. */
const parentsOf = (id: Command['do']) => {
  const { shape = {} } = (operations[id].request as { body?: z.ZodMiniObject }).body ?? {};
  const written = references.filter(
    ({ kind, field }) => nounOf({ do: id }) === nounOfKind(kind) && field in shape,
  );
  return Object.fromEntries(
    written.map(({ field }) => [
      field,
      z.safeParse(shape[field]!, undefined).success ? optional(index) : index,
    ]),
  );
};

export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  ...Object.entries(rows).map(([id, [weight, fields]]) => ({
    weight,
    arbitrary: fc.record({
      do: fc.constant(id as Command['do']),
      ...fields,
      ...parentsOf(id as Command['do']),
    }) as fc.Arbitrary<Command>,
  })),
);

/** `npm run test:long` makes `MODEL_RUNS` times as many as `npm test`. */
export const modelRuns = (few: number): number => few * Number(process.env.MODEL_RUNS ?? 1);

/** All created ids, also of deleted resources, oldest first. */
export class Ids {
  readonly of = Object.fromEntries(storedNouns.map(noun => [noun, []])) as unknown as Record<
    StoredNoun,
    number[]
  >;
}

const pick = (ids: readonly number[], at: unknown = 0) =>
  ids.at(-1 - (Number(at) % Math.max(ids.length, 1))) ?? 4095;

export const requestOf = (
  { do: id, actor = 'staff', units, ...fields }: Command,
  known: Ids,
): Call & Sent => {
  const ids = Object.fromEntries(
    storedNouns.map(noun => [`${noun}Id`, pick(known.of[noun], fields[`${noun}Id`])]),
  ) as Sent['ids'];
  const operation: RegisteredOperation = operations[id];
  const { method, path, request } = operation;
  const parents = references
    .filter(({ field }) => fields[field] !== undefined)
    .map(({ field, parent }) => [field, pick(known.of[nounOfKind(parent)], fields[field])]);
  const values = Object.entries({ ...fields, ...Object.fromEntries(parents), ...ids });
  const body = Object.fromEntries(
    values.filter(([field]) => fields[field] !== undefined && !path.includes(`{${field}}`)),
  );
  const call = { actor, ids, method, path: pathOf(operation, ids), ...(request.body && { body }) };
  if (!units) return call;
  return {
    ...call,
    path: `${call.path}?units=${units}`,
    query: { units: 'stocked' },
    tagged: true,
  };
};

/** Values that only the service knows are copied from the actual response. */
export const expectedOf = (
  command: Command,
  ids: Ids,
  store: ReferenceStore,
  { body }: ApiResponse,
): Expected => {
  const { body: entity, ...result } = expected[command.do](store, requestOf(command, ids), body);
  // The version is only in the ETag.
  const { version, ...shown } = Object(entity);
  return entity === undefined ? result : { ...result, body: shown };
};

export const remember = (
  command: Command,
  ids: Ids,
  { status, body }: Pick<ApiResponse, 'status' | 'body'>,
) => {
  if (status === 201) ids.of[nounOf(command)].push(body.id);
};
