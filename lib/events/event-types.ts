import { type Resource, resources } from '../model/kinds.ts';
import type { Item } from '../model/table/calls.ts';

type Noun = Resource['noun'];

const usual = ['created', 'updated', 'deleted'] as const;
const special = {
  inventory: ['updated', 'deleted'],
  order: ['placed', 'updated', 'completed', 'cancelled', 'deleted'],
} as const;
type VerbOf<N extends Noun> = (N extends keyof typeof special
  ? (typeof special)[N]
  : typeof usual)[number];

/** `petstore`, a noun (lib/model/kinds.ts) and what happened. */
export type EventType = { [N in Noun]: `petstore.${N}.${VerbOf<N>}` }[Noun];

export const eventTypes = resources.flatMap(({ noun }) =>
  ((special as Partial<Record<Noun, readonly string[]>>)[noun] ?? usual).map(
    verb => `petstore.${noun}.${verb}`,
  ),
) as EventType[];

/** `before` is absent for a new item, and when an event republishes the current state. */
interface Images {
  readonly before?: Item | undefined;
  readonly after?: Item | undefined;
}

export const eventTypesOf = (
  noun: Noun,
  action: 'created' | 'updated' | 'deleted',
  { before, after }: Images,
): EventType[] => {
  // A pet gets its stock when it is created, with the event `petstore.inventory.updated`.
  if (noun === 'inventory')
    return [`petstore.inventory.${action === 'created' ? 'updated' : action}`];
  if (noun !== 'order') return [`petstore.${noun}.${action}`];
  if (action === 'created')
    return after?.complete
      ? ['petstore.order.placed', 'petstore.order.completed']
      : ['petstore.order.placed'];
  if (action === 'updated')
    return [
      after?.complete && !before?.complete ? 'petstore.order.completed' : 'petstore.order.updated',
    ];
  // A cancellation deletes an open order. An operator deletes a complete order, or one that the operator has marked before.
  return [
    before?.complete || before?.deletedByOperator
      ? 'petstore.order.deleted'
      : 'petstore.order.cancelled',
  ];
};
