import type { Check } from '../check.ts';
import { lifeCycleHeaders } from '../compare.ts';
import { nobodysId } from './routes.ts';

const invalidUtf8 = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);

/** What a body or a query should not be. Each of them is refused for more than one reason, so that nothing is ever written. */
export const errorChecks: readonly Check[] = [
  {
    name: '413: a body above 16,384 bytes',
    ask: { method: 'POST', path: '/pets', as: 'client', body: { unknown: 'x'.repeat(20_000) } },
    expect: { error: 'payload_too_large' },
  },
  {
    name: '415: a body that is no JSON',
    ask: { method: 'POST', path: '/pets', as: 'client', body: 'a', headers: { 'Content-Type': 'text/plain' } },
    expect: { error: 'unsupported_media_type' },
  },
  {
    name: '415 by the gateway: a picture to an unknown path',
    ask: { method: 'POST', path: '/nothing', body: 'a', headers: { 'Content-Type': 'image/png' } },
    expect: { error: 'unsupported_media_type', by: 'gateway' },
    source: 'developer guide, "integration passthrough behaviors": NEVER and no template for the type',
  },
  {
    name: '400: a body that is cut off',
    ask: { method: 'POST', path: '/pets', as: 'client', body: '{"name":' },
    expect: { error: 'invalid_request' },
  },
  {
    name: '400: a body that is no UTF-8',
    ask: { method: 'POST', path: '/pets', as: 'client', body: invalidUtf8 },
    expect: { error: 'invalid_request', also: ({ text }) => (text.includes('UTF-8') ? undefined : `it says ${text}`) },
    source: 'API Gateway puts U+FFFD for such bytes (recorded)',
  },
  {
    name: '400: a limit of 0 and an unknown parameter, both named',
    ask: { method: 'GET', path: '/pets?limit=0&colour=red' },
    expect: {
      error: 'invalid_request',
      also: ({ text }) => (/limit.*colour|colour.*limit/.test(text) ? undefined : `it says ${text}`),
    },
  },
  {
    name: '400: a cursor of no list',
    ask: { method: 'GET', path: '/pets?cursor=nonsense' },
    expect: { error: 'invalid_cursor' },
  },
  {
    name: '404: no such pet, said by the deprecated getPet',
    ask: { method: 'GET', path: `/pets/${nobodysId}` },
    expect: { error: 'pet_not_found', headers: lifeCycleHeaders },
    mayBeGone: true,
  },
  {
    name: '404: no such category',
    ask: { method: 'GET', path: `/pets/categories/${nobodysId}` },
    expect: { error: 'category_not_found' },
  },
  {
    name: '404: no such order',
    ask: { method: 'GET', path: `/store/orders/${nobodysId}`, as: 'client' },
    expect: { error: 'order_not_found' },
  },
];
