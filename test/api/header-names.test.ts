import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

/** Header names are case-insensitive (RFC 9110, 5.1); HTTP/2 clients send them in lower case (RFC 9113, 8.2.1). */
const casings: Readonly<Record<string, (name: string) => string>> = {
  lower: name => name.toLowerCase(),
  upper: name => name.toUpperCase(),
  mixed: name => [...name].map((letter, index) => (index % 2 ? letter.toUpperCase() : letter.toLowerCase())).join(''),
};

let authorization: string;
beforeAll(async () => {
  authorization = `Bearer ${await petstore.token('staff')}`;
});

/** Sends header names exactly as given; fetch does not guarantee it. */
const send = async (method: string, path: string, headers: Record<string, string>, body = '') => {
  const sent = request(petstore.url + path, { method, headers });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const content = await text(response);
  return { status: response.statusCode, etag: response.headers.etag!, body: content ? JSON.parse(content) : undefined };
};

describe.each(Object.keys(casings))('request header names in %s case', casing => {
  const named = (headers: Record<string, string>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [casings[casing]!(name), value]));
  const create = (headers: Record<string, string>, body = '{"name":"Cats"}') =>
    send('POST', '/pets/categories', named({ Authorization: authorization, ...headers }), body);

  it('identify the caller', async () => {
    expect((await create({})).status).toBe(201);
    expect((await send('POST', '/pets/categories', {}, '{}')).status).toBe(401);
  });

  it('name the media type of the body', async () => {
    expect((await create({ 'Content-Type': 'text/plain' })).status).toBe(415);
  });

  it('make a request idempotent', async () => {
    const headers = { 'Idempotency-Key': `key in ${casing} case` };
    const [first, second] = [await create(headers), await create(headers)];
    expect(second.body).toEqual(first.body);
    expect((await create(headers, '{"name":"Dogs"}')).body.code).toBe('idempotency_key_reused');
  });

  it('make a request conditional', async () => {
    const { body, etag } = await create({});
    const path = `/pets/categories/${body.id}`;
    const replace = (tag: string) =>
      send('PUT', path, named({ Authorization: authorization, 'If-Match': tag }), '{"name":"Dogs"}');
    expect((await replace('"another"')).status).toBe(412);
    expect((await send('GET', path, named({ 'If-None-Match': etag }))).status).toBe(304);
    expect((await replace(etag)).status).toBe(200);
  });
});
