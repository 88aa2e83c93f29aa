import { isDeepStrictEqual } from 'node:util';
import { indexes } from '../../../lib/model/table/indexes.ts';
import type { Change } from '../check-events.ts';
import { invalid } from './errors.ts';
import type { Item } from './expression.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export const nameOf = ({ pk, sk }: Key) => `${pk}/${sk}`;

/** Texts met so far, each with a number of its own. */
const numbers = new Map<string, number>();
export const numberOf = (text: string): number => {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  numbers.set(text, numbers.size);
  return numbers.size - 1;
};

interface Stored {
  readonly item: Readonly<Item>;
  /** Equal for equal items. */
  readonly number: number;
}
type Image = Map<string, Stored>;

/** What may lag: the indexes alone, or replicas as well. */
export type Lag = 'indexes' | boolean;

const shownByIndexes = new Set<string>(indexes.flatMap(({ key, projection }) => ['id', key, ...projection]));
const shown = (stored: Stored | undefined) =>
  stored && Object.entries(stored.item).filter(([attribute]) => shownByIndexes.has(attribute));

/** A copy of the table that follows it, in time. The writes of one item reach it in their order. */
class Follower {
  readonly image: Image;
  private readonly behind: { name: string; stored: Stored | undefined }[] = [];

  constructor(image: Image) {
    this.image = new Map(image);
  }

  hear(name: string, stored: Stored | undefined) {
    this.behind.push({ name, stored });
  }

  /** What makes no difference to what indexes show arrives at once. */
  hearShown(name: string, stored: Stored | undefined) {
    this.hear(name, stored);
    const isAlone = this.behind.every(write => write.name !== name || write.stored === stored);
    if (isAlone && isDeepStrictEqual(shown(this.image.get(name)), shown(stored))) this.catchUp(name);
  }

  /** The items whose latest state has not arrived. */
  get waiting(): string[] {
    return [...new Set(this.behind.map(({ name }) => name))];
  }

  /** The next write of an item arrives. */
  catchUp(name: string) {
    const [next] = this.behind.splice(
      this.behind.findIndex(write => write.name === name),
      1,
    );
    if (next!.stored) this.image.set(name, next!.stored);
    else this.image.delete(name);
  }

  get fingerprint(): string {
    const rest = this.behind.map(({ name, stored }) => `${name}${stored?.number}`);
    return `${fingerprintOf(this.image)}<${rest}`;
  }
}

const fingerprintOf = (image: Image): string =>
  Array.from(image, ([name, { number }]) => `${name}${number}`)
    .sort()
    .join();

/** Items by key, and what was committed, in order. */
export class Table {
  private readonly image: Image;
  readonly history: (Change & { readonly name: string })[] = [];
  private past = '';
  /** With lag, what the indexes and an eventually consistent read see; otherwise they see the table itself. */
  readonly followers: { readonly index: Follower; readonly replica?: Follower } | undefined;

  constructor(image: Image = new Map(), { lag = false }: { lag?: Lag } = {}) {
    this.image = new Map(image);
    if (lag) this.followers = { index: new Follower(image), ...(lag === true && { replica: new Follower(image) }) };
  }

  copy(options?: { lag: Lag }): Table {
    return new Table(this.image, options);
  }

  get(key: Key): Readonly<Item> | undefined {
    return this.image.get(nameOf(key))?.item;
  }

  /** As a replica that may lag shows it. */
  getEventually(key: Key): Readonly<Item> | undefined {
    return (this.followers?.replica?.image ?? this.image).get(nameOf(key))?.item;
  }

  write(key: Key, item: Item | undefined) {
    const name = nameOf(key);
    const before = this.image.get(name);
    const stored = item && { item, number: numberOf(JSON.stringify(item)) };
    if (stored) this.image.set(name, stored);
    else this.image.delete(name);
    this.history.push({ name, before: before?.item, item, key: `${before?.number}>${stored?.number}` });
    this.past += `${name}${stored?.number}`;
    const { index, replica } = this.followers ?? {};
    if (replica) index?.hear(name, stored);
    else index?.hearShown(name, stored);
    replica?.hear(name, stored);
  }

  items(): Readonly<Item>[] {
    return [...this.image.values()].map(({ item }) => item);
  }

  /** The items that an index holds, as it projects them. @throws ValidationException when there is no such index */
  indexed(name: string): Item[] {
    const index = indexes.find(other => other.name === name);
    if (!index) throw invalid(`The table does not have the specified index: ${name}`);
    const kept = new Set(['pk', 'sk', 'id', index.key, ...index.projection]);
    return Array.from((this.followers?.index.image ?? this.image).values(), ({ item }) => item)
      .filter(item => item[index.key] !== undefined && item.id !== undefined)
      .map(item => Object.fromEntries(Object.entries(item).filter(([attribute]) => kept.has(attribute))));
  }

  /** Equal for tables between which no call can tell. */
  get fingerprint(): string {
    const { index, replica } = this.followers ?? {};
    return index
      ? `${fingerprintOf(this.image)}|${index.fingerprint}|${replica?.fingerprint}|${this.past}`
      : fingerprintOf(this.image);
  }
}

/** @throws ValidationException when the item could not be stored or indexed */
export const checkItem = (item: Item): Item => {
  if (typeof item.pk !== 'string' || typeof item.sk !== 'string') throw invalid('Missing the key');
  for (const { key } of indexes) {
    if (item[key] !== undefined && typeof item[key] !== 'string') throw invalid(`Type mismatch for Index Key ${key}`);
  }
  if (item.id !== undefined && typeof item.id !== 'number') throw invalid('Type mismatch for Index Key id');
  return item;
};
