import { nextPageOf } from '../../../openapi/petstore-client.ts';
import type { Check } from '../check.ts';
import { noted } from '../created.ts';
import type { ApiResponse } from '../send.ts';

const ids = (body: unknown): number[] => (Array.isArray(body) ? body.map(({ id }) => id) : []);

const hasOneItem = ({ body }: ApiResponse) => (ids(body).length <= 1 ? undefined : 'the page has more than the limit');

/** The pets of the run's own category, in pages of two. */
export const pages = (base: string): readonly Check[] => [
  {
    name: 'a first page, and the link to the next',
    writes: true,
    eventually: true,
    request: created => ({ method: 'GET', path: `/pets?categoryId=${noted(created, 'category')}&limit=2` }),
    expect: {
      status: 200,
      also: ({ body, headers }) => {
        if (ids(body).length !== 2) return `the page has ${ids(body).length} pets, not 2`;
        const next = nextPageOf(headers);
        if (!next) return 'the header Link has no next page';
        return next.startsWith(`${base}/pets?`) ? undefined : `the link has another origin or path: ${next}`;
      },
    },
    keep: ({ body, headers }, { notes }) =>
      notes.set('next page', nextPageOf(headers)!).set('first page', ids(body).join()),
  },
  {
    name: 'the next page, by that link',
    writes: true,
    eventually: true,
    request: created => ({ method: 'GET', path: noted(created, 'next page') }),
    expect: created => ({
      status: 200,
      headers: { Link: null },
      also: ({ body }) => {
        const all = [...noted(created, 'first page').split(',').map(Number), ...ids(body)].sort((a, b) => a - b);
        const wanted = [...created.pets].sort((a, b) => a - b);
        return all.join() === wanted.join() ? undefined : `the pages have the pets ${all}, not ${wanted}`;
      },
    }),
  },
  {
    name: '400: the cursor of another list',
    writes: true,
    request: created => ({
      method: 'GET',
      path: `/pets/categories?cursor=${new URL(noted(created, 'next page')).searchParams.get('cursor')}`,
    }),
    expect: { error: 'invalid_cursor' },
  },
  {
    name: 'listCategories',
    request: { method: 'GET', path: '/pets/categories?limit=1' },
    expect: { status: 200, also: hasOneItem },
  },
  {
    name: 'listInventory',
    request: { method: 'GET', path: '/store/inventory?limit=1', token: 'client' },
    expect: { status: 200, headers: { 'Cache-Control': 'no-store' }, also: hasOneItem },
  },
  {
    name: 'listOrders',
    request: { method: 'GET', path: '/store/orders?limit=1', token: 'client' },
    expect: { status: 200, headers: { 'Cache-Control': 'no-store' }, also: hasOneItem },
  },
];
