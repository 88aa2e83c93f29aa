import {
  BatchGetCommand,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Write } from '../../../lib/model/table/calls.ts';
import { invalid, mismatched } from './errors.ts';
import { type Item, parseCondition } from './expression.ts';
import type { Key, Table } from './table.ts';
import { type Cut, refusedNow, sent, transact } from './transaction.ts';

// biome-ignore lint/suspicious/noExplicitAny: the answer to any command
type Output = any;
export type Command = GetCommand | BatchGetCommand | QueryCommand | TransactWriteCommand;

/** How a transaction is to be carried out, beside what its request says. */
export interface Manner {
  readonly only?: number;
}

export interface Options {
  /** A part of a write that is left out. */
  readonly cut?: Cut | undefined;
  /** Is told of every write that arrives. */
  readonly onWrite?: ((write: Write) => void) | undefined;
}

/**
 * DynamoDB as the model uses it, exact in what the model can notice: four commands, at once and in one place. Sizes,
 * capacity and the 10 minutes after which a token is forgotten are left out; no run here lasts as long.
 */
export class InMemoryDynamoDb {
  readonly table: Table;
  private readonly options: Options;
  /** Token → the request that was carried out under it. AWS does not say whether that of a cancelled one is kept: here it is not. */
  private readonly tokens = new Map<string, string>();

  constructor(table: Table, options: Options = {}) {
    this.table = table;
    this.options = options;
  }

  send(command: Command, manner: Manner = {}): Output {
    if (command instanceof TransactWriteCommand) return this.transact(command.input, manner);
    if (command instanceof GetCommand) {
      const { Key, ConsistentRead } = command.input;
      const item = ConsistentRead ? this.table.get(Key as Key) : this.table.getEventually(Key as Key);
      return item ? { Item: { ...item } } : {};
    }
    if (command instanceof BatchGetCommand) return this.batchGet(command);
    if (command instanceof QueryCommand) return this.query(command);
    throw new Error(`${(command as object).constructor.name} is not known here`);
  }

  private transact({ TransactItems = [], ClientRequestToken }: TransactWriteCommandInput, manner: Manner): Output {
    if (!ClientRequestToken) throw new Error('a transaction without a token');
    const request = JSON.stringify(TransactItems);
    const earlier = this.tokens.get(ClientRequestToken);
    if (earlier !== undefined && earlier !== request) throw mismatched();
    if (earlier !== undefined) return {};
    const { cut, onWrite } = this.options;
    if (onWrite) TransactItems.forEach(onWrite);
    transact(this.table, TransactItems, { cut, ...manner });
    this.tokens.set(ClientRequestToken, request);
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

  /** The numbers of the writes that would be refused now. */
  refusedNow(command: Command): number[] {
    return command instanceof TransactWriteCommand ? refusedNow(this.table, command.input.TransactItems!) : [];
  }

  get fingerprint(): string {
    return `${this.table.fingerprint}!${[...this.tokens.keys()].sort()}`;
  }
}
