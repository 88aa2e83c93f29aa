import { allOperations, type RegisteredOperation } from '../../lib/operations/index.ts';
import { markdownTable } from '../support/markdown-table.ts';

const nameOf = ({ id, deprecated, stability }: RegisteredOperation) => {
  const mark = deprecated ? 'deprecated' : stability;
  return mark ? `${id} (${mark})` : id;
};

/** All operations of the API, one in each row. */
export const operationsTable = (): string =>
  markdownTable(
    ['Operation', 'Request', 'Scope'],
    ['---', '---', '---'],
    allOperations.map(operation => [nameOf(operation), `\`${operation.method} ${operation.path}\``, operation.access]),
  );
