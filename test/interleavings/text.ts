import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Command } from './dynamodb/in-memory.ts';
import { keyOf, partsOf } from './dynamodb/transaction.ts';

/** Names of ids, for readable traces. */
const names = new Map<string, string>();
export const call = (id: number, name: string) => names.set(String(id), name);

const named = (text: string) => text.replace(/\d{6,}/g, id => names.get(id) ?? `…${id.slice(-4)}`);

/** A call or a key as a short text. */
export const textOf = (command: Command | string): string => {
  if (typeof command === 'string') return named(command.replace(/\/.*/, ''));
  if (command instanceof GetCommand) return `Get ${named(command.input.Key!.pk)}`;
  if (command instanceof BatchGetCommand) {
    const keys = Object.values(command.input.RequestItems!).flatMap(({ Keys }) => Keys ?? []);
    return `BatchGet ${keys.map(({ pk }) => named(pk)).join(', ')}`;
  }
  if (command instanceof QueryCommand) return `Query ${named(JSON.stringify(command.input.ExpressionAttributeValues))}`;
  const writes = command.input.TransactItems!.map(write => {
    const [verb, request] = partsOf(write);
    const update = request.UpdateExpression ? ` ${request.UpdateExpression}` : '';
    return `${verb} ${named(keyOf(request).pk)}${update} [${request.ConditionExpression}]`;
  });
  return `Transact ${writes.join(' + ')}`;
};
