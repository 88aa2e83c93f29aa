import { type Item, type Key, tableName, type Write } from './calls.ts';

const namesIn = (expression: string) =>
  Object.fromEntries([...expression.matchAll(/#(\w+)/g)].map(([name, attribute]) => [name, attribute!]));

const guarded = (condition: string, values: Item, expression = '') => ({
  TableName: tableName,
  ConditionExpression: condition,
  ExpressionAttributeNames: namesIn(`${expression} ${condition}`),
  ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});

/** Attributes to set (`undefined` removes one), and numbers to add to attributes. */
interface Changes {
  readonly set?: Item;
  readonly add?: Record<string, number>;
}

/**
 * Every write of an item increments this attribute; the first one sets 1. No condition reads it: it orders the events of an
 * item (lib/events). Sequence numbers of a stream do not, because they are comparable within one shard only.
 */
const writeCount = 'writeCount';

// The writes of a transaction. In a condition, `#name` is the attribute of that name.

export const putItem = (item: Item & Key, condition: string, values: Item = {}): Write => ({
  Put: { Item: { ...item, [writeCount]: 1 }, ...guarded(condition, values) },
});

export const updateItem = (key: Key, changes: Changes, condition: string, values: Item = {}): Write => {
  const { set = {} } = changes;
  const add = { ...changes.add, [writeCount]: 1 };
  const assigned = Object.keys(set).filter(name => set[name] !== undefined);
  const removed = Object.keys(set).filter(name => set[name] === undefined);
  const clause = (verb: string, terms: string[]) => (terms.length > 0 ? [`${verb} ${terms.join(', ')}`] : []);
  const expression = [
    ...clause(
      'SET',
      assigned.map(name => `#${name} = :set_${name}`),
    ),
    ...clause(
      'REMOVE',
      removed.map(name => `#${name}`),
    ),
    ...clause(
      'ADD',
      Object.keys(add).map(name => `#${name} :add_${name}`),
    ),
  ].join(' ');
  const operands = [
    ...assigned.map(name => [`:set_${name}`, set[name]]),
    ...Object.entries(add).map(([name, value]) => [`:add_${name}`, value]),
  ];
  return {
    Update: {
      Key: key,
      UpdateExpression: expression,
      ...guarded(condition, { ...values, ...Object.fromEntries(operands) }, expression),
    },
  };
};

/** Changes nothing. */
export const checkItem = (key: Key, condition: string): Write => ({
  ConditionCheck: { Key: key, ...guarded(condition, {}) },
});

export const deleteItem = (key: Key, condition: string, values: Item = {}): Write => ({
  Delete: { Key: key, ...guarded(condition, values) },
});
