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

/** A unique number for each distinct text. */
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

/** What lags: only the indexes, or replicas as well. */
export type Lag = 'indexes' | boolean;

const projectedAttributes = new Set<string>(indexes.flatMap(({ key, projection }) => ['id', key, ...projection]));
const projected = (stored: Stored | undefined) =>
  stored && Object.entries(stored.item).filter(([attribute]) => projectedAttributes.has(attribute));

/** An eventually consistent copy of the table. It applies the writes to one item in their order. */
class LaggingReplica {
  readonly image: Image;
  private readonly pendingWrites: { name: string; stored: Stored | undefined }[] = [];

  constructor(image: Image) {
    this.image = new Map(image);
  }

  receive(name: string, stored: Stored | undefined) {
    this.pendingWrites.push({ name, stored });
  }

  /** Applies a write at once when it changes no projected attribute. */
  receiveProjected(name: string, stored: Stored | undefined) {
    this.receive(name, stored);
    const isOnly = this.pendingWrites.every(write => write.name !== name || write.stored === stored);
    if (isOnly && isDeepStrictEqual(projected(this.image.get(name)), projected(stored))) this.applyNext(name);
  }

  /** The items with pending writes. */
  get laggingItems(): string[] {
    return [...new Set(this.pendingWrites.map(({ name }) => name))];
  }

  /** Applies the next pending write to an item. */
  applyNext(name: string) {
    const [next] = this.pendingWrites.splice(
      this.pendingWrites.findIndex(write => write.name === name),
      1,
    );
    if (next!.stored) this.image.set(name, next!.stored);
    else this.image.delete(name);
  }

  get fingerprint(): string {
    const rest = this.pendingWrites.map(({ name, stored }) => `${name}${stored?.number}`);
    return `${fingerprintOf(this.image)}<${rest}`;
  }
}

const fingerprintOf = (image: Image): string =>
  Array.from(image, ([name, { number }]) => `${name}${number}`)
    .sort()
    .join();

/** The items by key, and the committed writes in order. */
export class Table {
  private readonly image: Image;
  readonly history: (Change & { readonly name: string })[] = [];
  private writeLog = '';
  /** With lag: the data of the indexes and of eventually consistent reads. Otherwise both read the table itself. */
  readonly replicas: { readonly index: LaggingReplica; readonly replica?: LaggingReplica } | undefined;

  constructor(image: Image = new Map(), { lag = false }: { lag?: Lag } = {}) {
    this.image = new Map(image);
    if (lag)
      this.replicas = { index: new LaggingReplica(image), ...(lag === true && { replica: new LaggingReplica(image) }) };
  }

  copy(options?: { lag: Lag }): Table {
    return new Table(this.image, options);
  }

  get(key: Key): Readonly<Item> | undefined {
    return this.image.get(nameOf(key))?.item;
  }

  /** An eventually consistent read. */
  getEventually(key: Key): Readonly<Item> | undefined {
    return (this.replicas?.replica?.image ?? this.image).get(nameOf(key))?.item;
  }

  write(key: Key, item: Item | undefined) {
    const name = nameOf(key);
    const before = this.image.get(name);
    const stored = item && { item, number: numberOf(JSON.stringify(item)) };
    if (stored) this.image.set(name, stored);
    else this.image.delete(name);
    this.history.push({ name, before: before?.item, item, key: `${before?.number}>${stored?.number}` });
    this.writeLog += `${name}${stored?.number}`;
    const { index, replica } = this.replicas ?? {};
    if (replica) index?.receive(name, stored);
    else index?.receiveProjected(name, stored);
    replica?.receive(name, stored);
  }

  items(): Readonly<Item>[] {
    return [...this.image.values()].map(({ item }) => item);
  }

  /** The projected items of an index. @throws ValidationException when there is no such index */
  indexed(name: string): Item[] {
    const index = indexes.find(other => other.name === name);
    if (!index) throw invalid(`The table does not have the specified index: ${name}`);
    const attributes = new Set(['pk', 'sk', 'id', index.key, ...index.projection]);
    return Array.from((this.replicas?.index.image ?? this.image).values(), ({ item }) => item)
      .filter(item => item[index.key] !== undefined && item.id !== undefined)
      .map(item => Object.fromEntries(Object.entries(item).filter(([attribute]) => attributes.has(attribute))));
  }

  /** Equal for tables that no call can distinguish. */
  get fingerprint(): string {
    const { index, replica } = this.replicas ?? {};
    return index
      ? `${fingerprintOf(this.image)}|${index.fingerprint}|${replica?.fingerprint}|${this.writeLog}`
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
