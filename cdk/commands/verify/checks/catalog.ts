import type { Check, Expected } from '../check.ts';
import { lifeCycleHeaders } from '../compare.ts';
import { type Created, mark, noted } from '../created.ts';
import type { ApiResponse } from '../send.ts';

export const note =
  (name: string, of: (response: ApiResponse) => unknown): Check['keep'] =>
  (response, { notes }) =>
    notes.set(name, String(of(response)));

export const has =
  (wanted: object): Expected['also'] =>
  ({ body, text }) => {
    const wrong = Object.entries(wanted).find(([name, value]) => body?.[name] !== value);
    return wrong && `${wrong[0]} is not ${wrong[1]}: ${text.slice(0, 160)}`;
  };

export const category = (created: Created): string => `/pets/categories/${noted(created, 'category')}`;
export const pet = (created: Created): string => `/pets/${noted(created, 'pet')}`;

const etag = note('ETag', ({ headers }) => headers.get('ETag'));

const createCategoryCheck: Check = {
  name: 'createCategory',
  writes: true,
  request: ({ run }) => ({
    method: 'POST',
    path: '/pets/categories',
    token: 'client',
    body: { name: mark + run },
    headers: { 'Idempotency-Key': `${run} category` },
  }),
  expect: { status: 201, headers: { ETag: /./, Location: /\/pets\/categories\/\d+$/ } },
  keep: ({ body }, { categories, notes }) => {
    categories.add(body.id);
    notes.set('category', String(body.id));
  },
};

const createPetCheck = (number: number): Check => ({
  name: `createPet, number ${number}`,
  writes: true,
  request: created => ({
    method: 'POST',
    path: '/pets',
    token: 'client',
    body: { name: `Pet ${number}`, categoryId: Number(noted(created, 'category')) },
    headers: { 'Idempotency-Key': `${created.run} pet ${number}` },
  }),
  expect: { status: 201, headers: { ETag: /./, Location: /\/pets\?id=\d+$/ }, also: has({ status: 'available' }) },
  keep: (response, { pets, notes }) => {
    pets.add(response.body.id);
    notes.set('pet', String(response.body.id));
  },
});

/** A category and its pets, from their creation to the orders. */
export const catalog: readonly Check[] = [
  createCategoryCheck,
  {
    name: 'getCategory',
    writes: true,
    request: created => ({ method: 'GET', path: category(created) }),
    expect: created => ({ status: 200, also: has({ name: mark + created.run }) }),
    keep: etag,
  },
  {
    name: '412: replaceCategory with another ETag',
    writes: true,
    request: created => ({
      method: 'PUT',
      path: category(created),
      token: 'client',
      body: { name: mark + created.run },
      headers: { 'If-Match': '"another"' },
    }),
    expect: { error: 'precondition_failed' },
  },
  {
    name: 'replaceCategory with its ETag',
    writes: true,
    request: created => ({
      method: 'PUT',
      path: category(created),
      token: 'client',
      body: { name: mark + created.run, description: 'Created by a verification' },
      headers: { 'If-Match': noted(created, 'ETag') },
    }),
    expect: { status: 200, also: has({ description: 'Created by a verification' }) },
  },
  createPetCheck(1),
  createPetCheck(2),
  createPetCheck(3),
  {
    name: '422: createPet in an unknown category',
    writes: true,
    request: { method: 'POST', path: '/pets', token: 'client', body: { name: 'Nobody', categoryId: 0 } },
    expect: { error: 'category_not_found_in_body' },
  },
  {
    name: 'getPet, with the headers of a deprecated operation',
    writes: true,
    request: created => ({ method: 'GET', path: pet(created) }),
    expect: { status: 200, headers: lifeCycleHeaders },
    mayBeGone: true,
  },
  {
    name: 'listPets by id, with the ETag of the pet',
    writes: true,
    request: created => ({ method: 'GET', path: `/pets?id=${noted(created, 'pet')}` }),
    expect: { status: 200, headers: { ETag: /./ } },
    keep: etag,
  },
  {
    name: '304: the pet is unchanged',
    writes: true,
    request: created => ({
      method: 'GET',
      path: `/pets?id=${noted(created, 'pet')}`,
      headers: { 'If-None-Match': noted(created, 'ETag') },
    }),
    expect: { status: 304, headers: { ETag: /./ } },
  },
  {
    name: 'updatePet with its ETag',
    writes: true,
    request: created => ({
      method: 'PATCH',
      path: pet(created),
      token: 'client',
      body: { name: 'Renamed' },
      headers: { 'If-Match': noted(created, 'ETag'), 'Content-Type': 'application/merge-patch+json' },
    }),
    expect: { status: 200, also: has({ name: 'Renamed' }) },
  },
  {
    name: '412: replacePet with the previous ETag',
    writes: true,
    request: created => ({
      method: 'PUT',
      path: pet(created),
      token: 'client',
      body: { name: 'Lost', categoryId: Number(noted(created, 'category')) },
      headers: { 'If-Match': noted(created, 'ETag') },
    }),
    expect: { error: 'precondition_failed' },
  },
  {
    name: 'replacePet',
    writes: true,
    request: created => ({
      method: 'PUT',
      path: pet(created),
      token: 'client',
      body: { name: 'Replaced', categoryId: Number(noted(created, 'category')) },
    }),
    expect: { status: 200, also: has({ name: 'Replaced' }) },
  },
];
