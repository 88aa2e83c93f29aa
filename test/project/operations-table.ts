import { allOperations, type RegisteredOperation } from '../../lib/operations/index.ts';
import { markdownTable } from '../support/markdown-table.ts';

const textOf = ({ id, method, access, deprecated, stability }: RegisteredOperation) => {
  const mark = deprecated ? 'deprecated' : stability;
  return `\`${method}\` ${id} (${mark ? `${access}, ${mark}` : access})`;
};

/** All operations of the API, by path, with their scopes. */
export const operationsTable = (): string => {
  const paths = Map.groupBy(allOperations, ({ path }) => path);
  return markdownTable(
    ['Path', 'Operations, with their scopes'],
    ['---', '---'],
    Array.from(paths, ([path, operations]) => [`\`${path}\``, operations.map(textOf).join(', ')]),
  );
};
