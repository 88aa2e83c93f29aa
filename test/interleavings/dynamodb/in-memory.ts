import {
  BatchGetCommand,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Write } from '../../../lib/model/table/calls.ts';
import { invalid, tokenMismatch } from './errors.ts';
import { type Item, parseCondition } from './expression.ts';
import type { Key, Table } from './table.ts';
import { rejectedWrites, sent, transact, type WriteMutation } from './transaction.ts';

// biome-ignore lint/suspicious/noExplicitAny: the output of any command
type Output = any;
export type Command = GetCommand | BatchGetCommand | QueryCommand | TransactWriteCommand;

/** Options of an execution that the request does not contain. */
export interface ExecutionOptions {
  readonly reportOnly?: number;
  readonly withoutItems?: boolean;
}

export interface Options {
  /** A part of a write that is removed. */
  readonly mutation?: WriteMutation | undefined;
  /** Is called with every write that arrives. */
  readonly onWrite?: ((write: Write) => void) | undefined;
}

/**
 * The part of DynamoDB that the model can observe: four commands, executed atomically. Item sizes, capacity and the expiry
 * of a ClientRequestToken after 10 minutes are not modeled; no run takes as long.
 */
export class InMemoryDynamoDb {
  readonly table: Table;
  private readonly options: Options;
  /** ClientRequestToken → its executed request. AWS does not document whether canceled requests count: here they do not. */
  private readonly tokens = new Map<string, Write[]>();

  constructor(table: Table, options: Options = {}) {
    this.table = table;
    this.options = options;
  }

  send(command: Command, options: ExecutionOptions = {}): Output {
    if (command instanceof TransactWriteCommand) return this.transact(command.input, options);
    if (command instanceof GetCommand) {
      const { Key, ConsistentRead } = command.input;
      const item = ConsistentRead ? this.table.get(Key as Key) : this.table.getEventually(Key as Key);
      return item ? { Item: { ...item } } : {};
    }
    if (command instanceof BatchGetCommand) return this.batchGet(command);
    if (command instanceof QueryCommand) return this.query(command);
    throw new Error(`${(command as object).constructor.name} is not supported`);
  }

  private transact(
    { TransactItems = [], ClientRequestToken }: TransactWriteCommandInput,
    manner: ExecutionOptions,
  ): Output {
    if (!ClientRequestToken) throw new Error('a transaction without a ClientRequestToken');
    const executed = this.tokens.get(ClientRequestToken);
    if (executed && JSON.stringify(executed) !== JSON.stringify(TransactItems)) throw tokenMismatch();
    if (executed) return {};
    const { mutation, onWrite } = this.options;
    if (onWrite) TransactItems.forEach(onWrite);
    transact(this.table, TransactItems, { mutation, ...manner });
    this.tokens.set(ClientRequestToken, TransactItems);
    return {};
  }

  private batchGet({ input }: BatchGetCommand): Output {
    const [[tableName, { Keys, ConsistentRead }]] = Object.entries(input.RequestItems!) as [
      [string, { Keys: Key[]; ConsistentRead?: boolean }],
    ];
    const names = new Set(Keys.map(key => JSON.stringify(key)));
    if (Keys.length < 1 || Keys.length > 100 || names.size < Keys.length) throw invalid('1 to 100 distinct keys');
    const items = Keys.map(key => (ConsistentRead ? this.table.get(key) : this.table.getEventually(key)));
    return { Responses: { [tableName]: items.filter(item => item !== undefined).map(item => ({ ...item })) } };
  }

  private query({ input }: QueryCommand): Output {
    const bound = { names: input.ExpressionAttributeNames ?? {}, values: sent(input.ExpressionAttributeValues) };
    const { holds } = parseCondition(input.KeyConditionExpression!);
    const order = input.ScanIndexForward === false ? -1 : 1;
    const matching = this.table.indexed(input.IndexName!).filter((item: Item) => holds(item, bound));
    return { Items: matching.sort((a, b) => order * (a.id - b.id)).slice(0, input.Limit) };
  }

  /** The indexes of the writes whose conditions fail now. */
  rejectedWrites(command: Command): number[] {
    return command instanceof TransactWriteCommand ? rejectedWrites(this.table, command.input.TransactItems!) : [];
  }

  get fingerprint(): string {
    return `${this.table.fingerprint}!${[...this.tokens.keys()].sort()}`;
  }
}
