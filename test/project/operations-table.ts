import { descriptionOf } from '../../cdk/openapi/descriptions.ts';
import { allOperations, type RegisteredOperation } from '../../lib/operations/index.ts';
import { isFile, isList, successOf } from '../../lib/operations/operation.ts';
import { markdownTable } from '../support/markdown-table.ts';

const nameOf = ({ id, deprecated, stability }: RegisteredOperation) => {
  const mark = deprecated ? 'deprecated' : stability;
  return mark ? `${id} (${mark})` : id;
};

const responseOf = (operation: RegisteredOperation) => {
  const { status, body } = successOf(operation);
  if (isList(operation)) return `${status}, a page`;
  return body !== null && isFile(body)
    ? `${status}, ${[...new Set(body.file)].map(type => `\`${type}\``).join(' or ')}`
    : `${status}`;
};

/** All operations of the API, one in each row. */
export const operationsTable = (): string =>
  markdownTable(
    ['Operation', 'Request', 'Scope', 'Response', 'Summary'],
    ['---', '---', '---', '---', '---'],
    allOperations.map(operation => [
      nameOf(operation),
      `\`${operation.method} ${operation.path}\``,
      operation.access,
      responseOf(operation),
      descriptionOf(operation).summary,
    ]),
  );
