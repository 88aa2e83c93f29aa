import { request as send } from 'node:http';
import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createCategory, createPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

interface Raw {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** Sends a request without Accept-Encoding, and does not decode the response, as fetch would. */
const raw = (path: string, headers: Record<string, string> = {}, method = 'GET', body?: Buffer): Promise<Raw> =>
  new Promise((resolve, reject) => {
    send(petstore.url + path, { method, headers }, async response => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) });
    })
      .on('error', reject)
      .end(body);
  });

const asStaff = async () => ({ Authorization: `Bearer ${await petstore.token('staff')}` });

describe('a response of 1,024 bytes or more', () => {
  it('is compressed when Accept-Encoding allows it, and decompresses to the same body', async () => {
    const { id } = await createCategory(petstore.staff);
    await Promise.all(Array.from({ length: 30 }, () => createPet(petstore.staff, id)));
    const plain = await raw('/pets?limit=100');
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const [coding, decode] of [['gzip', gunzipSync] as const, ['deflate', inflateSync] as const]) {
      const packed = await raw('/pets?limit=100', { 'Accept-Encoding': coding });
      expect(packed.headers).toMatchObject({
        'content-encoding': coding,
        'content-type': 'application/json',
        'content-length': String(packed.body.length),
        vary: 'Accept-Encoding',
      });
      expect(packed.body.length).toBeLessThan(plain.body.length / 3);
      expect(decode(packed.body)).toEqual(plain.body);
    }
  });

  it('has the same strong ETag with and without compression, which If-None-Match and If-Match accept', async () => {
    const category = { name: 'Cats', description: 'meow '.repeat(200) };
    const { id } = (await petstore.staff('POST', '/pets/categories', { body: category })).body;
    const path = `/pets/categories/${id}`;
    const packed = await raw(path, { 'Accept-Encoding': 'gzip' });
    const tag = packed.headers.etag as string;
    expect([packed.headers['content-encoding'], tag]).toEqual(['gzip', (await raw(path)).headers.etag]);
    expect(tag).toMatch(/^"/);

    const unchanged = await raw(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': tag });
    expect([unchanged.status, unchanged.headers.etag, unchanged.headers['content-encoding']]).toEqual([
      304,
      tag,
      undefined,
    ]);
    expect(unchanged.body.length).toBe(0);
    const renamed = { body: { ...category, name: 'Dogs' }, headers: { 'If-Match': tag, 'Accept-Encoding': 'gzip' } };
    expect((await petstore.staff('PUT', path, renamed)).status).toBe(200);
    expect((await petstore.staff('PUT', path, renamed)).status).toBe(412);
  });
});

it('compresses the files of the page to less than a third, and no response below 1,024 bytes', async () => {
  const coded = { 'Accept-Encoding': 'gzip, deflate, br' };
  expect((await raw('/pets?limit=1', coded)).headers['content-encoding']).toBeUndefined();
  const bundle = await raw('/docs/swagger-ui-bundle.js', coded);
  expect([bundle.headers['content-encoding'], bundle.headers['content-type']]).toEqual([
    'gzip',
    'text/javascript; charset=utf-8',
  ]);
  expect(gunzipSync(bundle.body).length).toBeGreaterThan(3 * bundle.body.length);
});

describe('a request with a Content-Encoding', () => {
  const name = 'Cats';
  const body = Buffer.from(
    JSON.stringify({
      name,
      description: Array.from({ length: 1_000 }, (_, index) =>
        String.fromCodePoint(0x4e00 + ((index * 7_919) % 20_000)),
      ).join(''),
    }),
  );

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ] as const)('reaches the function decompressed from %s', async (coding, encode) => {
    const packed = encode(body);
    expect(packed.length).toBeGreaterThanOrEqual(1_024);
    const response = await raw(
      '/pets/categories',
      { ...(await asStaff()), 'Content-Encoding': coding },
      'POST',
      packed,
    );
    expect(response.status, response.body.toString()).toBe(201);
    expect(JSON.parse(response.body.toString())).toMatchObject({ name });
  });

  it('returns 415 when the coding is unknown, or the body is not in that coding', async () => {
    for (const coding of ['br', 'gzip']) {
      const response = await raw(
        '/pets/categories',
        { ...(await asStaff()), 'Content-Encoding': coding },
        'POST',
        body,
      );
      expect([response.status, JSON.parse(response.body.toString()).code]).toEqual([415, 'unsupported_media_type']);
    }
  });
});
