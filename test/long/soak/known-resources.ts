import fc from 'fast-check';
import { anyCommand, type Call, type Command, requestOf } from '../../reference/commands.ts';
import type { Actor } from '../../reference/reference-store.ts';
import type { Answer } from '../../support/petstore.ts';

/** What is there, as far as its people know: what they deleted is gone, and each knows its own open orders. */
export class Living {
  readonly categories: number[] = [];
  readonly pets: number[] = [];
  /** Pets whose stock nobody counts again, so that its units can be added up at the end. */
  readonly counted: number[] = [];
  readonly orders: Readonly<Record<Actor, number[]>> = { staff: [], shop: [], rival: [] };
}

/** Nine in ten do what they may. */
const isCareful = () => Math.random() < 0.9;

/** A command as somebody gives it who knows what he may do. */
const sensible = (command: Command): Command => {
  if (!isCareful()) return command;
  if (command.do === 'updateOrder') return { ...command, actor: 'staff' };
  if (command.do === 'placeOrder' && command.complete) return { ...command, actor: 'staff' };
  return command;
};

/** The request that a command is, and the id of what it is about. */
export const callOf = (command: Command, living: Living): Call => {
  const { orders, categories, pets, counted } = living;
  const actor = 'actor' in command ? command.actor : 'staff';
  const whose =
    command.do === 'updateOrder' ? ([...orders.shop, ...orders.rival, ...orders.staff] as number[]) : orders[actor];
  const isForCounted = command.do === 'placeOrder' && Math.random() < 0.3;
  return requestOf(command, { categories, pets: isForCounted ? counted : pets, orders: whose });
};

const forget = (list: number[], id: number) => {
  const place = list.lastIndexOf(id);
  if (place >= 0) list.splice(place, 1);
};

/** Longer than anybody looks back (test/reference/commands.ts). */
const remembered = 40;

const keep = (list: number[], id: number) => {
  list.push(id);
  if (list.length > remembered) list.shift();
};

/** What an answer says about what is there. */
export const learn = (living: Living, command: Command, { actor, path }: Call, { status, body }: Answer): void => {
  const id = Number(path.split('/').at(-1));
  if (status === 201 && command.do === 'createCategory') keep(living.categories, body.id);
  if (status === 201 && command.do === 'createPet') keep(living.pets, body.id);
  if (status === 201 && command.do === 'placeOrder' && !body.complete) keep(living.orders[actor], body.id);
  const isOver = status === 204 || status === 404 || (command.do === 'updateOrder' && status === 200 && body.complete);
  if (!isOver) return;
  if (command.do === 'deleteCategory') forget(living.categories, id);
  else if (/Order$/.test(command.do)) for (const list of Object.values(living.orders)) forget(list, id);
  else forget(living.pets, id);
};

/** Commands without end. */
export const commands = function* (): Generator<Command> {
  for (;;) yield* fc.sample(anyCommand, 1_000).map(sensible);
};
