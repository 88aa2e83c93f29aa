import { describe, expect, it, vi } from 'vitest';
import { getPet } from '../../lib/operations/getPet.ts';
import { listPets } from '../../lib/operations/listPets.ts';
import { maxId } from '../../lib/schemas/id.ts';
import { petStatuses } from '../../lib/schemas/pet.ts';
import { call } from '../lib/http/toys.ts';
import { createPet, stockedPet } from '../support/fixtures.ts';
import { headerBytes, maxHeaderBytes } from '../support/hostile.ts';
import { clientOf, usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

describe('the Link header', () => {
  it('has each filter of the next page once, however often and in which notation the filters were repeated', async () => {
    const { categoryId } = await stockedPet(petstore.staff, 1);
    await createPet(petstore.staff, categoryId);
    const filters = '&status=sold&&%73tatus=%61vailable'.repeat(200);
    // This client does not validate requests: only the document limits how often a filter may be repeated.
    const anybody = clientOf(petstore.url, undefined);
    const { headers } = await anybody('GET', `/pets?limit=1&categoryId=${categoryId}${filters}`);
    const next = new URL(/^<(.{1,250})>; rel="next"$/.exec(headers.get('Link')!)![1]!);
    next.searchParams.delete('cursor');
    expect(next.href).toBe(
      `${petstore.url}/pets?status=sold&status=available&categoryId=${categoryId}&limit=1`,
    );
  });

  it('leaves three quarters of the header limit with the longest host and base path that AWS allows', async () => {
    vi.stubEnv('DEPRECATED_ON', '2026-11-01');
    vi.stubEnv('SUNSET_ON', '2027-12-31');
    for (const level of ['info', 'error'] as const) vi.spyOn(console, level).mockReturnValue();
    const base = `/${'p'.repeat(300)}`;
    const requestContext = {
      requestId: 'r'.repeat(36),
      domainName: 'd'.repeat(253),
      path: `${base}/pets`,
    };
    const query = { status: petStatuses, categoryId: [String(maxId)], limit: ['100'] };
    const event = { resource: '/pets', requestContext, pathParameters: { petId: '9'.repeat(19) } };
    const page = async () => ({ items: [], next: maxId });
    const responses = [
      await call(getPet, event, () => Promise.reject(new Error('broken'))),
      await call(listPets, { ...event, multiValueQueryStringParameters: query }, page),
    ];
    for (const { headers } of responses) {
      expect(headers.Link).toContain(`<https://${'d'.repeat(253)}${base}/pets?`);
      expect(headerBytes(headers as Record<string, string>)).toBeLessThan(maxHeaderBytes / 4);
    }
  });
});
