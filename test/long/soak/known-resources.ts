import fc from 'fast-check';
import { anyCommand, type Call, type Command, requestOf } from '../../reference/commands.ts';
import type { Actor } from '../../reference/reference-store.ts';
import type { ApiResponse } from '../../support/petstore.ts';

/** The resources that the virtual users know from responses. Each user knows its own open orders. */
export class KnownResources {
  readonly categories: number[] = [];
  readonly pets: number[] = [];
  /** Pets whose inventory is set only once, so that their units can be added up at the end. */
  readonly counted: number[] = [];
  readonly orders: Readonly<Record<Actor, number[]>> = { staff: [], shop: [], rival: [] };
}

/** Nine in ten commands are permitted ones. */
const isPermitted = () => Math.random() < 0.9;

/** Gives commands that only staff may perform to staff, mostly. */
const permitted = (command: Command): Command => {
  if (!isPermitted()) return command;
  if (command.do === 'updateOrder') return { ...command, actor: 'staff' };
  if (command.do === 'placeOrder' && command.complete) return { ...command, actor: 'staff' };
  return command;
};

/** The request of a command. */
export const callOf = (command: Command, known: KnownResources): Call => {
  const { orders, categories, pets, counted } = known;
  const actor = 'actor' in command ? command.actor : 'staff';
  const orderIds =
    command.do === 'updateOrder' ? ([...orders.shop, ...orders.rival, ...orders.staff] as number[]) : orders[actor];
  const isForCounted = command.do === 'placeOrder' && Math.random() < 0.3;
  return requestOf(command, { categories, pets: isForCounted ? counted : pets, orders: orderIds });
};

const remove = (list: number[], id: number) => {
  const place = list.lastIndexOf(id);
  if (place >= 0) list.splice(place, 1);
};

/** More ids than a command can refer to (test/reference/commands.ts). */
const maxIds = 40;

const add = (list: number[], id: number) => {
  list.push(id);
  if (list.length > maxIds) list.shift();
};

/** Updates the known resources from a response. */
export const learn = (
  known: KnownResources,
  command: Command,
  { actor, path }: Call,
  { status, body }: ApiResponse,
): void => {
  const id = Number(path.split('/').at(-1));
  if (status === 201 && command.do === 'createCategory') add(known.categories, body.id);
  if (status === 201 && command.do === 'createPet') add(known.pets, body.id);
  if (status === 201 && command.do === 'placeOrder' && !body.complete) add(known.orders[actor], body.id);
  const isOver = status === 204 || status === 404 || (command.do === 'updateOrder' && status === 200 && body.complete);
  if (!isOver) return;
  if (command.do === 'deleteCategory') remove(known.categories, id);
  else if (/Order$/.test(command.do)) for (const list of Object.values(known.orders)) remove(list, id);
  else remove(known.pets, id);
};

/** An infinite sequence of commands. */
export const commands = function* (): Generator<Command> {
  for (;;) yield* fc.sample(anyCommand, 1_000).map(permitted);
};
