import type { Check, Expected } from '../check.ts';
import { lifeCycleHeaders } from '../compare.ts';
import { type Made, mark, noted } from '../created.ts';
import type { Answer } from '../send.ts';

export const note =
  (name: string, of: (answer: Answer) => unknown): Check['keep'] =>
  (answer, { notes }) =>
    notes.set(name, String(of(answer)));

export const has =
  (wanted: object): Expected['also'] =>
  ({ body, text }) => {
    const wrong = Object.entries(wanted).find(([name, value]) => body?.[name] !== value);
    return wrong && `${wrong[0]} is not ${wrong[1]}: ${text.slice(0, 160)}`;
  };

export const category = (made: Made): string => `/pets/categories/${noted(made, 'category')}`;
export const pet = (made: Made): string => `/pets/${noted(made, 'pet')}`;

const etag = note('ETag', ({ headers }) => headers.get('ETag'));

const makeCategory: Check = {
  name: 'createCategory',
  writes: true,
  ask: ({ run }) => ({
    method: 'POST',
    path: '/pets/categories',
    as: 'client',
    body: { name: mark + run },
    headers: { 'Idempotency-Key': `${run} category` },
  }),
  expect: { status: 201, headers: { ETag: /./, Location: /\/pets\/categories\/\d+$/ } },
  keep: ({ body }, { categories, notes }) => {
    categories.add(body.id);
    notes.set('category', String(body.id));
  },
};

const makePet = (number: number): Check => ({
  name: `createPet, number ${number}`,
  writes: true,
  ask: made => ({
    method: 'POST',
    path: '/pets',
    as: 'client',
    body: { name: `Pet ${number}`, categoryId: Number(noted(made, 'category')) },
    headers: { 'Idempotency-Key': `${made.run} pet ${number}` },
  }),
  expect: { status: 201, headers: { ETag: /./, Location: /\/pets\?id=\d+$/ }, also: has({ status: 'available' }) },
  keep: (answer, { pets, notes }) => {
    pets.add(answer.body.id);
    notes.set('pet', String(answer.body.id));
  },
});

/** A category and its pets, from their making to where orders take over. */
export const catalogue: readonly Check[] = [
  makeCategory,
  {
    name: 'getCategory',
    writes: true,
    ask: made => ({ method: 'GET', path: category(made) }),
    expect: made => ({ status: 200, also: has({ name: mark + made.run }) }),
    keep: etag,
  },
  {
    name: '412: replaceCategory with a tag of another representation',
    writes: true,
    ask: made => ({
      method: 'PUT',
      path: category(made),
      as: 'client',
      body: { name: mark + made.run },
      headers: { 'If-Match': '"another"' },
    }),
    expect: { error: 'precondition_failed' },
  },
  {
    name: 'replaceCategory with its tag, got compressed or not',
    writes: true,
    ask: made => ({
      method: 'PUT',
      path: category(made),
      as: 'client',
      body: { name: mark + made.run, description: 'Made by a verification' },
      headers: { 'If-Match': noted(made, 'ETag') },
    }),
    expect: { status: 200, also: has({ description: 'Made by a verification' }) },
  },
  makePet(1),
  makePet(2),
  makePet(3),
  {
    name: '422: createPet in no category',
    writes: true,
    ask: { method: 'POST', path: '/pets', as: 'client', body: { name: 'Nobody', categoryId: 0 } },
    expect: { error: 'named_category_not_found' },
  },
  {
    name: 'getPet, which is deprecated and says so',
    writes: true,
    ask: made => ({ method: 'GET', path: pet(made) }),
    expect: { status: 200, headers: lifeCycleHeaders },
    mayBeGone: true,
  },
  {
    name: 'listPets by id, with the ETag of the pet',
    writes: true,
    ask: made => ({ method: 'GET', path: `/pets?id=${noted(made, 'pet')}` }),
    expect: { status: 200, headers: { ETag: /./ } },
    keep: etag,
  },
  {
    name: '304: the pet has not changed',
    writes: true,
    ask: made => ({
      method: 'GET',
      path: `/pets?id=${noted(made, 'pet')}`,
      headers: { 'If-None-Match': noted(made, 'ETag') },
    }),
    expect: { status: 304, headers: { ETag: /./ } },
  },
  {
    name: 'updatePet with its tag',
    writes: true,
    ask: made => ({
      method: 'PATCH',
      path: pet(made),
      as: 'client',
      body: { name: 'Renamed' },
      headers: { 'If-Match': noted(made, 'ETag'), 'Content-Type': 'application/merge-patch+json' },
    }),
    expect: { status: 200, also: has({ name: 'Renamed' }) },
  },
  {
    name: '412: replacePet with the tag from before',
    writes: true,
    ask: made => ({
      method: 'PUT',
      path: pet(made),
      as: 'client',
      body: { name: 'Lost', categoryId: Number(noted(made, 'category')) },
      headers: { 'If-Match': noted(made, 'ETag') },
    }),
    expect: { error: 'precondition_failed' },
  },
  {
    name: 'replacePet',
    writes: true,
    ask: made => ({
      method: 'PUT',
      path: pet(made),
      as: 'client',
      body: { name: 'Replaced', categoryId: Number(noted(made, 'category')) },
    }),
    expect: { status: 200, also: has({ name: 'Replaced' }) },
  },
];
