import { kindOf, type Resource } from '../model/kinds.ts';
import type { Item } from '../model/table/calls.ts';
import type { Order } from '../schemas/order.ts';
import type { EventData, EventType } from './event-types.ts';

/** The types of the events of a resource. */
interface Events<D = EventData> {
  readonly created: (after: D) => EventType[];
  /** `before` is absent when the event republishes the current state. */
  readonly updated: (after: D, before?: D) => EventType[];
  readonly deleted: (before: D, item: Item) => EventType[];
}

/** A cancellation deletes an open order. An order that is complete, or was marked before, was deleted by an operator. */
const ofOrders: Events<Order> = {
  created: ({ complete }) =>
    complete ? ['petstore.order.placed', 'petstore.order.completed'] : ['petstore.order.placed'],
  updated: (after, before) => [
    after.complete && !before?.complete ? 'petstore.order.completed' : 'petstore.order.updated',
  ],
  deleted: (before, { deletedByOperator }) => [
    before.complete || deletedByOperator ? 'petstore.order.deleted' : 'petstore.order.cancelled',
  ],
};

/** A pet gets its stock with its creation, and loses it with its deletion. */
const ofInventory: Events = {
  created: () => ['petstore.inventory.updated'],
  updated: () => ['petstore.inventory.updated'],
  deleted: () => ['petstore.inventory.deleted'],
};

const eventsOf = (noun: Resource['noun']): Events => {
  if (noun === 'inventory') return ofInventory;
  // It receives only what the schema of orders parsed.
  if (noun === 'order') return ofOrders as Events;
  return {
    created: () => [`petstore.${noun}.created`],
    updated: () => [`petstore.${noun}.updated`],
    deleted: () => [`petstore.${noun}.deleted`],
  };
};

/** A resource in the sense of a CloudEvents subject, and the types of its events. */
interface Subject extends Events {
  /** @throws when the item has no such representation */
  readonly represent: (item: Item) => EventData;
}

/** The subjects of an item. @throws when items of this kind have no events */
export const subjectsOf = ({ pk, sk }: Item): Subject[] => {
  const { resources } = kindOf(sk) ?? { resources: [] };
  if (resources.length === 0) throw new Error(`Items such as ${pk}, ${sk} have no events (lib/model/kinds.ts).`);
  return resources.map(({ noun, schema, represent }) => ({
    ...eventsOf(noun),
    represent: item => schema.parse(represent(item)) as unknown as EventData,
  }));
};
