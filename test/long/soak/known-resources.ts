import fc from 'fast-check';
import { anyCommand, type Call, type Command, Ids, requestOf } from '../../reference/commands.ts';
import type { Actor } from '../../reference/reference-store.ts';
import type { ApiResponse } from '../../support/petstore.ts';

/** What the virtual users know from responses. Each user knows only its own open orders. */
export class KnownResources extends Ids {
  /** Pets whose stock is set only once: at the end, stock and ordered quantities must add up to it. */
  readonly counted: number[] = [];
  readonly ordersOf: Readonly<Record<Actor, number[]>> = { staff: [], shop: [], rival: [] };
}

/** Nine of ten commands that only staff may perform get the actor `staff`. */
const permitted = (command: Command): Command => {
  const isForStaff = command.do === 'updateOrder' || (command.do === 'placeOrder' && command.complete);
  return isForStaff && Math.random() < 0.9 ? { ...command, actor: 'staff' } : command;
};

/** Infinite. */
export const commands = function* (): Generator<Command> {
  for (;;) yield* fc.sample(anyCommand, 1_000).map(permitted);
};

/** With ids of known resources. */
export const callOf = (command: Command, { categories, pets, counted, ordersOf }: KnownResources): Call => {
  const { shop, rival, staff } = ordersOf;
  const orders = command.do === 'updateOrder' ? [...shop, ...rival, ...staff] : ordersOf[command.actor ?? 'staff'];
  const isForCounted = command.do === 'placeOrder' && Math.random() < 0.3;
  return requestOf(command, { categories, pets: isForCounted ? counted : pets, orders });
};

/** A command can refer to fewer ids than this (test/reference/commands.ts). */
const maxIds = 40;

const add = (list: number[], id: number) => {
  list.push(id);
  if (list.length > maxIds) list.shift();
};

const remove = (list: number[], id: number) => {
  const place = list.lastIndexOf(id);
  if (place >= 0) list.splice(place, 1);
};

/** Adds or removes a known resource after a response. */
export const learn = (known: KnownResources, { do: name }: Command, call: Call, { status, body }: ApiResponse) => {
  const lists = { Category: [known.categories], Pet: [known.pets], Order: Object.values(known.ordersOf) };
  const kind = /Category|Order|Pet/.exec(name)?.[0] as keyof typeof lists | undefined;
  const ids = lists[kind ?? 'Pet'];
  if (status === 201 && !body.complete) add(name === 'placeOrder' ? known.ordersOf[call.actor] : ids[0]!, body.id);
  const isOver = status === 204 || status === 404 || (name === 'updateOrder' && status === 200 && body.complete);
  if (isOver) for (const list of ids) remove(list, Number(call.path.split('/').at(-1)));
};
