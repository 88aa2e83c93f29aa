import { type Item, type Key, tableName, type Write } from './calls.ts';

// In a condition, `#status` is the stored attribute `status`, and `:status` is the property `status` of `values`.

/** The item has the version that was read. */
export const unchanged = '#version = :version';

const guarded = (condition: string, values: Item, expression = '', operands: Item = {}) => {
  const names: Record<string, string> = Object.fromEntries(
    `${expression} ${condition}`.matchAll(/#(\w+)/g),
  );
  const allValues = [
    ...Array.from(condition.matchAll(/:(\w+)/g), ([placeholder, name]) => [
      placeholder,
      values[name!],
    ]),
    ...Object.entries(operands),
  ];
  return {
    TableName: tableName,
    ConditionExpression: condition,
    ExpressionAttributeNames: names,
    ...(allValues.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(allValues) as Item,
    }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
};

/** `undefined` in `set` removes an attribute. */
interface Changes {
  readonly set?: Item;
  readonly add?: Record<string, number>;
}

/**
 * Orders the events of an item (lib/events): a new item has 1, every update increments it, and no condition reads it. The
 * stream's own sequence numbers are comparable only within one shard.
 */
const writeCount = 'writeCount';

export const putItem = (item: Item & Key, condition: string, values: Item = {}): Write => ({
  Put: { Item: { ...item, [writeCount]: 1 }, ...guarded(condition, values) },
});

export const updateItem = (
  key: Key,
  changes: Changes,
  condition: string,
  values: Item = {},
): Write => {
  const { set = {} } = changes;
  const add = { ...changes.add, [writeCount]: 1 };
  const assigned = Object.keys(set).filter(name => set[name] !== undefined);
  const removed = Object.keys(set).filter(name => set[name] === undefined);
  const clauses = {
    SET: assigned.map(name => `#${name} = :set_${name}`),
    REMOVE: removed.map(name => `#${name}`),
    ADD: Object.keys(add).map(name => `#${name} :add_${name}`),
  };
  const expression = Object.entries(clauses)
    .flatMap(([verb, terms]) => (terms.length > 0 ? `${verb} ${terms.join(', ')}` : []))
    .join(' ');
  const operands = Object.fromEntries([
    ...assigned.map(name => [`:set_${name}`, set[name]]),
    ...Object.entries(add).map(([name, value]) => [`:add_${name}`, value]),
  ]);
  return {
    Update: {
      Key: key,
      UpdateExpression: expression,
      ...guarded(condition, values, expression, operands),
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
