import { expect } from 'vitest';
import { createTableChecker } from '../../cdk/commands/audit/table-checker.ts';
import { tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import type { Stored } from '../../lib/model/violation.ts';

export interface Contents {
  readonly items: readonly Stored[];
  readonly pets: Stored[];
  readonly orders: Stored[];
}

/** Read directly from the engine. */
export const contentsOf = async (endpoint: string, tableName: string): Promise<Contents> => {
  const client = connect(endpoint);
  const items: Stored[] = [];
  await tableReader(client, tableName, Number.POSITIVE_INFINITY).eachItem(item => items.push(item));
  client.destroy();
  const ofKind = (sk: string) => items.filter(item => item.sk === sk);
  return { items, pets: ofKind('PET'), orders: ofKind('ORDER') };
};

/** Hold after every history, with every injected fault. */
export const expectInvariants = ({ items }: Pick<Contents, 'items'>) => {
  const checker = createTableChecker(1);
  for (const item of items) checker.add(item);
  expect(checker.counts().other, 'items of kinds that the service does not write').toEqual({});
  expect(checker.mismatches()).toEqual([]);
};
