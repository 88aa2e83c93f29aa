import { nextPageOf } from '../../../openapi/petstore-client.ts';
import type { Check } from '../check.ts';
import { noted } from '../created.ts';

const ids = (body: unknown): number[] => (Array.isArray(body) ? body.map(({ id }) => id) : []);

/** The pets of the run's own category, two on a page. */
export const pages = (base: string): readonly Check[] => [
  {
    name: 'a first page, and the link to the next',
    writes: true,
    eventually: true,
    ask: made => ({ method: 'GET', path: `/pets?categoryId=${noted(made, 'category')}&limit=2` }),
    expect: {
      status: 200,
      also: ({ body, headers }) => {
        if (ids(body).length !== 2) return `it has ${ids(body).length} pets, not 2`;
        const next = nextPageOf(headers);
        if (!next) return 'the header Link has no next page';
        return next.startsWith(`${base}/pets?`) ? undefined : `the link leads elsewhere: ${next}`;
      },
    },
    keep: ({ body, headers }, { notes }) =>
      notes.set('next page', nextPageOf(headers)!).set('first page', ids(body).join()),
  },
  {
    name: 'the next page, by that link',
    writes: true,
    eventually: true,
    ask: made => ({ method: 'GET', path: noted(made, 'next page') }),
    expect: made => ({
      status: 200,
      headers: { Link: null },
      also: ({ body }) => {
        const all = [...noted(made, 'first page').split(',').map(Number), ...ids(body)].sort((a, b) => a - b);
        const wanted = [...made.pets].sort((a, b) => a - b);
        return all.join() === wanted.join() ? undefined : `the pages have the pets ${all}, not ${wanted}`;
      },
    }),
  },
  {
    name: '400: the cursor of that list, given to another',
    writes: true,
    ask: made => ({
      method: 'GET',
      path: `/pets/categories?cursor=${new URL(noted(made, 'next page')).searchParams.get('cursor')}`,
    }),
    expect: { error: 'invalid_cursor' },
  },
  {
    name: 'listCategories',
    ask: { method: 'GET', path: '/pets/categories?limit=1' },
    expect: { status: 200, also: ({ body }) => (ids(body).length <= 1 ? undefined : 'it has more than the limit') },
  },
  {
    name: 'listInventory',
    ask: { method: 'GET', path: '/store/inventory?limit=1', as: 'client' },
    expect: { status: 200, headers: { 'Cache-Control': 'no-store' } },
  },
  {
    name: 'listOrders',
    ask: { method: 'GET', path: '/store/orders?limit=1', as: 'client' },
    expect: { status: 200, headers: { 'Cache-Control': 'no-store' } },
  },
];
