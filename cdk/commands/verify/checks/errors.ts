import type { Check } from '../check.ts';
import { lifeCycleHeaders } from '../compare.ts';
import { unassignedId } from './routes.ts';

const invalidUtf8 = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);

/** Invalid bodies and queries. Each is invalid for more than one reason, so that no request writes. */
export const errorChecks: readonly Check[] = [
  {
    name: '413: a body above 16,384 bytes',
    request: { method: 'POST', path: '/pets', token: 'client', body: { unknown: 'x'.repeat(20_000) } },
    expect: { error: 'payload_too_large' },
  },
  {
    name: '415: a body that is not JSON',
    request: { method: 'POST', path: '/pets', token: 'client', body: 'a', headers: { 'Content-Type': 'text/plain' } },
    expect: { error: 'unsupported_media_type' },
  },
  {
    name: '415 by the gateway: an image to an unknown path',
    request: { method: 'POST', path: '/nothing', body: 'a', headers: { 'Content-Type': 'image/png' } },
    expect: { error: 'unsupported_media_type', by: 'gateway' },
    source: 'developer guide, "integration passthrough behaviors": NEVER and no template for the type',
  },
  {
    name: '400: truncated JSON',
    request: { method: 'POST', path: '/pets', token: 'client', body: '{"name":' },
    expect: { error: 'invalid_request' },
  },
  {
    name: '400: a body that is not UTF-8',
    request: { method: 'POST', path: '/pets', token: 'client', body: invalidUtf8 },
    expect: {
      error: 'invalid_request',
      also: ({ text }) => (text.includes('UTF-8') ? undefined : `the message is ${text}`),
    },
    source: 'API Gateway replaces such bytes with U+FFFD (recorded)',
  },
  {
    name: '400: a limit of 0 and an unknown parameter, both in the message',
    request: { method: 'GET', path: '/pets?limit=0&color=red' },
    expect: {
      error: 'invalid_request',
      also: ({ text }) => (/limit.*color|color.*limit/.test(text) ? undefined : `the message is ${text}`),
    },
  },
  {
    name: '400: an invalid cursor',
    request: { method: 'GET', path: '/pets?cursor=nonsense' },
    expect: { error: 'invalid_cursor' },
  },
  {
    name: '404: no such pet, from the deprecated getPet',
    request: { method: 'GET', path: `/pets/${unassignedId}` },
    expect: { error: 'pet_not_found', headers: lifeCycleHeaders },
    mayBeGone: true,
  },
  {
    name: '404: no such category',
    request: { method: 'GET', path: `/pets/categories/${unassignedId}` },
    expect: { error: 'category_not_found' },
  },
  {
    name: '404: no such order',
    request: { method: 'GET', path: `/store/orders/${unassignedId}`, token: 'client' },
    expect: { error: 'order_not_found' },
  },
];
