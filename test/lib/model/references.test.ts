import { expect, it } from 'vitest';
import { references } from '../../../lib/model/references.ts';
import type { allOperations } from '../../../lib/operations/index.ts';
import { operationsOf, type StoredNoun } from '../../support/resources.ts';

it.each(references)(
  'each operation that writes $field declares the error of a missing $parent',
  ({ kind, field, notFound }) => {
    const takesField = ({ request: { body } }: (typeof allOperations)[number]) =>
      field in ((body as { shape?: object } | undefined)?.shape ?? {});
    const writing = operationsOf(kind.toLowerCase() as StoredNoun).filter(takesField);
    const lacking = writing.filter(({ errors = [] }) => !errors.includes(notFound));
    expect(writing).not.toEqual([]);
    expect(
      lacking.map(({ id }) => `lib/operations/${id}.ts: add ${notFound} to its errors`),
    ).toEqual([]);
  },
);
