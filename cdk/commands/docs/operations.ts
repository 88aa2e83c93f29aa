import { allOperations, type RegisteredOperation } from '../../../lib/operations/index.ts';
import { isFile, isList, successOf } from '../../../lib/operations/operation.ts';
import { descriptionOf } from '../../openapi/descriptions.ts';
import { markdownTable } from './marked.ts';

const marked = ({ id, deprecated, stability }: RegisteredOperation) => {
  const mark = deprecated ? 'deprecated' : stability;
  return mark ? `${id} (${mark})` : id;
};

const answerOf = (operation: RegisteredOperation) => {
  const { status, body } = successOf(operation);
  if (isList(operation)) return `${status}, a page`;
  return body !== null && isFile(body)
    ? `${status}, ${[...new Set(body.file)].map(type => `\`${type}\``).join(' or ')}`
    : `${status}`;
};

/** What the API can do: an operation a row. */
export const operationsTable = (): string =>
  markdownTable(
    ['Operation', '', 'Who may', 'Answers', ''],
    ['---', '---', '---', '---', '---'],
    allOperations.map(operation => [
      marked(operation),
      `\`${operation.method} ${operation.path}\``,
      operation.access === 'public' ? 'everybody' : operation.access,
      answerOf(operation),
      descriptionOf(operation).summary,
    ]),
  );
