import {
  type CancellationReason,
  DynamoDBServiceException,
  IdempotentParameterMismatchException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  GetCommand,
  type QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Write } from '../../lib/model/table/calls.ts';
import { type Item, nameOf, remembered, type Table } from './table.ts';

/** The part of DynamoDB that the model uses. fidelity.test.ts compares it with a real engine. */

export type Command = GetCommand | BatchGetCommand | QueryCommand | TransactWriteCommand;
type Bound = { readonly names: Readonly<Record<string, string>>; readonly values: Readonly<Item> };

// The SDK's own classes, as in production.
const $metadata = {};
const serviceError = (name: string) =>
  new DynamoDBServiceException({ name, message: name, $fault: 'client', $metadata });
export const throttled = () => serviceError('ThrottlingException');
const canceled = (CancellationReasons: CancellationReason[]) =>
  new TransactionCanceledException({ message: 'canceled', CancellationReasons, $metadata });
export const transactionConflict = (writes: number) =>
  canceled(
    Array.from({ length: writes }, (_, index) => ({
      Code: index === 0 ? 'TransactionConflict' : 'None',
    })),
  );

const comparators: Record<string, (a: never, b: never) => boolean> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** `attribute_exists(#a)`, `attribute_not_exists(#a)` or a comparison. Values of different types are never equal. */
const parseClause = (clause: string): ((item: Item, bound: Bound) => boolean) => {
  const [, not, attribute] = /^attribute_(not_)?exists\((#\w+)\)$/.exec(clause) ?? [];
  if (attribute)
    return (item, { names }) => (item[names[attribute]!] === undefined) === (not !== undefined);
  const [, name, operator = '', value] = /^(#\w+) ([<>=]+) (:\w+)$/.exec(clause) ?? [];
  const compare = comparators[operator];
  if (!compare) throw new Error(`This emulation does not support the condition ${clause}`);
  return (item, { names, values }) => {
    const [left, right] = [item[names[name!]!], values[value!]];
    return (
      left !== undefined && typeof left === typeof right && compare(left as never, right as never)
    );
  };
};

/** Clauses with AND or with OR. `forced` fixes the result of one, whatever the item is. */
const parseCondition = remembered((text: string) => {
  const clauses = text
    .replace(/(#\w+) BETWEEN (:\w+) AND (:\w+)/, '$1 >= $2 AND $1 <= $3')
    .split(/ AND | OR /);
  const tests = clauses.map(parseClause);
  const combine = text.includes(' OR ') ? 'some' : 'every';
  if (combine === 'some' && text.includes(' AND '))
    throw new Error(`This emulation does not support ${text}`);
  const holds = (
    item: Item = {},
    bound: Bound,
    forced?: { readonly clause: number; readonly result: boolean },
  ) =>
    tests[combine]((test, index) => (forced?.clause === index ? forced.result : test(item, bound)));
  return { clauses, holds };
});

/** `SET #a = :a, #b = :b REMOVE #c ADD #d :d` */
const parseUpdate = remembered((text: string) =>
  [...text.matchAll(/(SET|REMOVE|ADD) (.+?)(?= SET | REMOVE | ADD |$)/g)].flatMap(
    ([, verb, list]) =>
      list!
        .split(', ')
        .map(part => ({ verb, name: /#\w+/.exec(part)![0], value: /:\w+/.exec(part)?.[0] ?? '' })),
  ),
);

const update = (text: string, before: Item, { names, values }: Bound, without?: string): Item => {
  const after = { ...before };
  for (const { verb, name, value } of parseUpdate(text)) {
    const attribute = names[name]!;
    if (verb === 'REMOVE') delete after[attribute];
    if (verb === 'SET') after[attribute] = values[value];
    if (verb === 'ADD' && name !== without)
      after[attribute] = (after[attribute] ?? 0) + values[value];
  }
  return after;
};

/** Removes one part of a write. */
export interface Mutation {
  /** As `partsOf` returns it. */
  readonly write: string;
  /** A clause of the condition gets a fixed result. */
  readonly forced?: { readonly clause: number; readonly result: boolean };
  /** The write does not add to this attribute. */
  readonly without?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: one of four requests, read field by field
const requestOf = (write: Write): [verb: string, request: any] => Object.entries(write)[0]!;
export const keyOf = (write: Write): Item => requestOf(write)[1].Key ?? requestOf(write)[1].Item;

/** All writes from the same place in the model share a name. */
export const partsOf = (write: Write) => {
  const [verb, { ConditionExpression: condition, UpdateExpression: changes = '' }] =
    requestOf(write);
  const adds = parseUpdate(changes).flatMap(change => (change.verb === 'ADD' ? [change.name] : []));
  // Every write increments this.
  const adding = adds.filter(name => name !== '#writeCount').join(', ');
  const name = `${verb} ${keyOf(write).sk}${adding && ` adding to ${adding}`} if ${condition}`;
  return { name, clauses: parseCondition(condition).clauses, adds };
};

/** The position of the only rejected write that is reported, or all without their items. */
export type Report = number | 'without items';

/** Removes undefined attributes, like marshallOptions in lib/model/table/client.ts. */
const sent = (item: Item = {}): Item => JSON.parse(JSON.stringify(item));

/** Remembered, because every step before its execution needs it. */
const boundOf = remembered((write: Write): Bound => {
  const [, { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values }] =
    requestOf(write);
  return { names, values: sent(values) };
});

export interface Options {
  /** For all writes that match. */
  readonly mutation?: Mutation | undefined;
  /** Gets every write that arrives. */
  readonly onWrite?: ((write: Write) => void) | undefined;
}

/** Each command is atomic. Sizes, capacity and the expiry of a ClientRequestToken are not emulated. */
export class DynamoDb {
  readonly table: Table;
  private readonly options: Options;
  /** By ClientRequestToken. AWS does not document whether canceled requests count, so they are left out. */
  private readonly tokens = new Map<string, readonly Write[]>();

  constructor(table: Table, options: Options = {}) {
    this.table = table;
    this.options = options;
  }

  /** @param report by default, every rejected write with its item, although AWS does not promise this */
  async send(command: Command, report?: Report): Promise<unknown> {
    if (command instanceof TransactWriteCommand) return this.transact(command, report);
    if (command instanceof GetCommand) {
      const item = this.table.get(command.input.Key!, command.input.ConsistentRead);
      return item ? { Item: { ...item } } : {};
    }
    if (command instanceof BatchGetCommand) {
      const [tableName, request] = Object.entries<Item>(command.input.RequestItems!)[0]!;
      const items = request.Keys.map((key: Item) =>
        this.table.get(key, request.ConsistentRead),
      ).filter(Boolean);
      return { Responses: { [tableName]: items.map((item: Item) => ({ ...item })) } };
    }
    const {
      IndexName,
      KeyConditionExpression,
      ExpressionAttributeNames,
      ExpressionAttributeValues,
      Limit,
    } = command.input;
    const bound = { names: ExpressionAttributeNames!, values: sent(ExpressionAttributeValues) };
    const found = this.table
      .indexed(IndexName!)
      .filter(item => parseCondition(KeyConditionExpression!).holds(item, bound));
    const order = command.input.ScanIndexForward === false ? -1 : 1;
    return { Items: found.sort((a, b) => order * (a.id - b.id)).slice(0, Limit) };
  }

  private prepare(write: Write) {
    const [verb, request] = requestOf(write);
    const { mutation } = this.options;
    const { forced, without } = mutation && mutation.write === partsOf(write).name ? mutation : {};
    const before = this.table.get(keyOf(write));
    const bound = boundOf(write);
    return {
      holds: parseCondition(request.ConditionExpression).holds(before, bound, forced),
      reported: request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? before : undefined,
      apply: () => {
        if (verb === 'Put') this.table.write(request.Item, sent(request.Item));
        if (verb === 'Delete') this.table.write(request.Key, undefined);
        if (verb !== 'Update') return;
        this.table.write(
          request.Key,
          update(request.UpdateExpression, before ?? { ...request.Key }, bound, without),
        );
      },
    };
  }

  private transact({ input }: TransactWriteCommand, report: Report | undefined): unknown {
    const { ClientRequestToken: token, TransactItems: writes = [] } = input;
    const executed = this.tokens.get(token!);
    if (executed) {
      if (JSON.stringify(executed) === JSON.stringify(writes)) return {};
      throw new IdempotentParameterMismatchException({ message: 'token', $metadata });
    }
    const names = new Set(writes.map(write => nameOf(keyOf(write))));
    if (names.size < writes.length || writes.length === 0)
      throw serviceError('ValidationException');
    if (this.options.onWrite) writes.forEach(this.options.onWrite);
    const prepared = writes.map(write => this.prepare(write));
    if (prepared.some(({ holds }) => !holds))
      throw canceled(
        prepared.map(({ holds, reported }, index) => {
          if (holds || (typeof report === 'number' && report !== index)) return { Code: 'None' };
          const item = report === 'without items' ? undefined : reported;
          return { Code: 'ConditionalCheckFailed', ...(item && { Item: marshall(item) }) };
        }),
      );
    for (const { apply } of prepared) apply();
    this.tokens.set(token!, writes);
    return {};
  }

  /** By position: those whose conditions are false now. */
  rejectedWrites(command: Command): number[] {
    if (!(command instanceof TransactWriteCommand)) return [];
    return command.input.TransactItems!.flatMap((write, index) =>
      this.prepare(write).holds ? [] : [index],
    );
  }

  get fingerprint(): string {
    return `${this.table.fingerprint}!${[...this.tokens.keys()].sort()}`;
  }
}
