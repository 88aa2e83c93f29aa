import { describe, expect, it, vi } from 'vitest';
import { handle } from '../../lib/http/handle.ts';
import { getPet } from '../../lib/operations/getPet.ts';
import { listPets } from '../../lib/operations/listPets.ts';
import { maxId } from '../../lib/schemas/id.ts';
import { createPet, stockedPet } from '../support/fixtures.ts';
import { expectHarmless, headerBytes, maxHeaderBytes, type RawResponse, sendRaw } from '../support/hostile.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

const get = async (path: string): Promise<RawResponse> => {
  const token = await petstore.token('staff');
  const response = await sendRaw(petstore.url, token, { method: 'GET', path, headers: [], body: undefined });
  // The document limits how often a filter is repeated; the service does not.
  expectHarmless(response, { ...petstore, recordExchange: () => undefined });
  return response;
};

describe('the Link header', () => {
  it.each([
    ['that grows when it is encoded', '<'.repeat(6_000)],
    ['that grows when it is decoded and encoded again', '%F0%9F%98%BA'.repeat(600)],
    ['that cannot be decoded', '%FF%'.repeat(2_000)],
    ['of digits', '9'.repeat(8_000)],
    ['of 20 digits', '12345678901234567890'],
  ])('does not repeat a path parameter %s', async (_, petId) => {
    const { status, headers } = await get(`/pets/${petId}`);
    expect(status).toBe(400);
    expect(headers.link).toBe(`<${petstore.url}/pets>; rel="successor-version"`);
  });

  it('has the id of a valid path parameter in the URL of the successor', async () => {
    for (const id of ['1', '9999999999999999999', '%31']) {
      const { headers } = await get(`/pets/${id}`);
      expect(headers.link).toBe(`<${petstore.url}/pets?id=${decodeURIComponent(id)}>; rel="successor-version"`);
    }
  });

  it.each([
    ['repeated', '&status=sold&status=available'.repeat(300)],
    ['encoded', '&%73%74%61%74%75%73=%73%6f%6c%64&status=%61vailable'.repeat(150)],
    ['repeated with empty parameters in between', '&status=available&&&status=sold&'.repeat(200)],
  ])('has each filter of the next page once, when the filters were %s', async (_, filters) => {
    const { categoryId } = await stockedPet(petstore.staff, 1);
    await createPet(petstore.staff, categoryId);
    const { status, headers } = await get(`/pets?limit=1&categoryId=${categoryId}${filters}`);
    expect(status).toBe(200);
    const link = String(headers.link);
    expect(link.length).toBeLessThan(250);
    const next = new URL(/^<(.*)>; rel="next"$/.exec(link)![1]!);
    expect([...new Set(next.searchParams.getAll('status'))].length).toBe(2);
    expect([...next.searchParams.keys()].sort()).toEqual(['categoryId', 'cursor', 'limit', 'status', 'status']);
    expect((await get(next.href.replace(petstore.url, ''))).status).toBe(200);
  });

  it('does not exceed a quarter of the header limit with the longest host and base path that AWS allows', async () => {
    Object.assign(process.env, { DEPRECATED_ON: '2026-11-01', SUNSET_ON: '2027-12-31' });
    vi.spyOn(console, 'info').mockReturnValue();
    vi.spyOn(console, 'error').mockReturnValue();
    const base = `/${'p'.repeat(300)}`;
    const event = (resource: string, path: string, rest: object) => ({
      ...{
        resource,
        headers: null,
        multiValueHeaders: null,
        multiValueQueryStringParameters: null,
        pathParameters: null,
      },
      requestContext: { requestId: 'r'.repeat(36), domainName: 'd'.repeat(253), path: base + path },
      ...rest,
    });
    const context = { getRemainingTimeInMillis: () => 5_000 } as never;
    const petId = '9'.repeat(19);
    const pet = await handle(getPet)(async () => Promise.reject(new Error('broken')))(
      event('/pets/{petId}', `/pets/${petId}`, { pathParameters: { petId } }) as never,
      context,
    );
    const query = { status: ['available', 'pending', 'sold'], categoryId: [String(maxId)], limit: ['100'] };
    const list = await handle(listPets)(async () => ({ items: [], next: maxId }))(
      event('/pets', '/pets', { multiValueQueryStringParameters: query }) as never,
      context,
    );
    for (const { headers } of [pet, list]) {
      expect(headers!.Link).toContain(`<https://${'d'.repeat(253)}${base}/pets?`);
      expect(headerBytes(headers as Record<string, string>)).toBeLessThan(maxHeaderBytes / 4);
    }
  });
});
