import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Write } from '../../../lib/model/table/calls.ts';
import { canceled, invalid } from './errors.ts';
import { type Bound, type Forced, type Item, parseCondition } from './expression.ts';
import { checkItem, type Key, nameOf, type Table } from './table.ts';
import { applyUpdate, parseUpdate, type Update } from './update.ts';

/** The effect of a write, and whether its condition holds. */
interface Prepared {
  readonly key: Key;
  readonly holds: boolean;
  readonly reported: Item | undefined;
  /** The item afterwards; absent when nothing changes, undefined when it is deleted. */
  readonly after?: { readonly item: Item | undefined };
}

/** A mutant of a write: one part is removed. */
export interface WriteMutation {
  /** As `describe` calls the write. */
  readonly write: string;
  /** A clause of its condition, or an attribute that it adds to. */
  readonly part: Forced | { readonly adds: string };
}

const conditions = new Map<string, ReturnType<typeof parseCondition>>();
const updates = new Map<string, Update>();
const remembered = <T>(known: Map<string, T>, text: string, parse: () => T): T => {
  const found = known.get(text) ?? parse();
  known.set(text, found);
  return found;
};
const conditionOf = (text: string) => remembered(conditions, text, () => parseCondition(text));
const updateOf = (text: string) => remembered(updates, text, () => parseUpdate(text));

type Verb = 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
// biome-ignore lint/suspicious/noExplicitAny: one of four requests, read field by field
export type Request = any;
export const partsOf = (write: Write): [Verb, Request] => {
  const [[verb, request], ...others] = Object.entries(write) as [[Verb, Request], ...unknown[]];
  if (others.length > 0) throw invalid('TransactItems can only contain one of Check, Put, Update or Delete');
  return [verb, request];
};

export const keyOf = (request: Request): Key => {
  const { pk, sk } = request.Key ?? request.Item;
  return { pk, sk };
};

/** The kind of a write: the same for all writes from one place in the model. */
export const describe = (write: Write): { name: string; clauses: readonly string[]; adds: string[] } => {
  const [verb, request] = partsOf(write);
  const { changes } = updateOf(request.UpdateExpression ?? '');
  const adds = changes.filter(change => change.verb === 'ADD').map(({ name }) => name.slice(1));
  const clauses = request.ConditionExpression ? conditionOf(request.ConditionExpression).clauses : [];
  // Every write increments the write count.
  const meaningful = adds.filter(attribute => attribute !== 'writeCount');
  const adding = meaningful.length > 0 ? ` adding to ${meaningful.join(', ')}` : '';
  const name = `${verb} ${keyOf(request).sk}${adding} if ${request.ConditionExpression}`;
  return { name, clauses, adds };
};

/** @throws ValidationException when a placeholder is used and not defined, or defined and not used */
const checkPlaceholders = ({ names, values }: Bound, used: Iterable<string>[]) => {
  const defined = new Set([...Object.keys(names), ...Object.keys(values)]);
  const wanted = new Set(used.flatMap(placeholders => [...placeholders]));
  for (const name of wanted) if (!defined.has(name)) throw invalid(`${name} is used in an expression and not defined`);
  for (const name of defined) if (!wanted.has(name)) throw invalid(`${name} is defined and not used in an expression`);
};

/** Attributes whose value is undefined are not sent: see marshallOptions in lib/model/table/client.ts. */
export const sent = (item: Item = {}): Item => {
  const entries = Object.entries(item).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'object' && value !== null ? sent(value) : value]),
  );
};

const prepare = (table: Table, write: Write, mutation: WriteMutation | undefined): Prepared => {
  const [verb, request] = partsOf(write);
  const key = keyOf(request);
  const before = table.get(key);
  const bound: Bound = {
    names: request.ExpressionAttributeNames ?? {},
    values: sent(request.ExpressionAttributeValues),
  };
  const mutatedPart = mutation && mutation.write === describe(write).name ? mutation.part : undefined;
  const condition = conditionOf(request.ConditionExpression);
  const update = updateOf(request.UpdateExpression ?? '');
  checkPlaceholders(bound, [condition.placeholders, update.placeholders]);
  const tested =
    mutatedPart && 'clause' in mutatedPart ? parseCondition(request.ConditionExpression, mutatedPart) : condition;
  const holds = tested.holds(before, bound);
  const prepared = {
    key,
    holds,
    reported: request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? before : undefined,
  };
  if (!holds || verb === 'ConditionCheck') return prepared;
  if (verb === 'Delete') return { ...prepared, after: { item: undefined } };
  if (verb === 'Put') return { ...prepared, after: { item: checkItem(sent(request.Item)) } };
  const changes =
    mutatedPart && 'adds' in mutatedPart
      ? update.changes.filter(change => change.verb !== 'ADD' || change.name !== `#${mutatedPart.adds}`)
      : update.changes;
  return { ...prepared, after: { item: checkItem(applyUpdate({ ...update, changes }, before ?? { ...key }, bound)) } };
};

/**
 * Executes a transaction, all or nothing.
 * @param options `reportOnly`: the one failed condition that is reported; AWS does not promise to report all
 * @throws ValidationException, TransactionCanceledException
 */
export const transact = (
  table: Table,
  writes: Write[],
  {
    mutation,
    reportOnly,
    withoutItems,
  }: { mutation?: WriteMutation | undefined; reportOnly?: number; withoutItems?: boolean } = {},
) => {
  if (writes.length < 1 || writes.length > 100) throw invalid('1 to 100 items');
  const names = writes.map(write => nameOf(keyOf(partsOf(write)[1])));
  if (new Set(names).size < names.length) {
    throw invalid('Transaction request cannot include multiple operations on one item');
  }
  const prepared = writes.map(write => prepare(table, write, mutation));
  if (prepared.some(({ holds }) => !holds)) {
    throw canceled(
      prepared.map(({ holds, reported }, index): CancellationReason => {
        if (holds || (reportOnly !== undefined && reportOnly !== index)) return { Code: 'None' };
        const reason = { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' };
        return reported && !withoutItems ? { ...reason, Item: marshall(reported) } : reason;
      }),
    );
  }
  for (const { key, after } of prepared) if (after) table.write(key, after.item);
};

/** The indexes of the writes whose conditions fail now. */
export const rejectedWrites = (table: Table, writes: Write[]): number[] =>
  writes.flatMap((write, index) => (prepare(table, write, undefined).holds ? [] : [index]));
