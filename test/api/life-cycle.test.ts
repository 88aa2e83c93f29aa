import { describe, expect, it } from 'vitest';
import { addLifeCycleHeaders } from '../../lib/http/add-life-cycle-headers.ts';
import { getPet } from '../../lib/operations/getPet.ts';
import { expectError } from '../support/expect-error.ts';
import { startPetstore, synthesizeShared } from '../support/petstore.ts';

const serveWith = async (settings: { sunsetOn: string; enforceSunset: boolean }) => {
  const lifeCycle = { getPet: { deprecatedOn: '2025-01-01', sunsetOn: settings.sunsetOn } };
  const assembly = await synthesizeShared({
    stage: 'local',
    settings: { lifeCycle, enforceSunset: settings.enforceSunset },
  });
  return startPetstore({ assembly });
};

describe('a deprecated operation', () => {
  it('works after its sunset, and logs its callers', async () => {
    const petstore = await serveWith({ sunsetOn: '2025-06-30', enforceSunset: false });
    const headers = { 'User-Agent': `old-shop/1.0 ${'x'.repeat(500)}` };
    expectError(await petstore.anonymous('GET', '/pets/1', { headers }), 404, 'pet_not_found');
    await expect.poll(() => petstore.logs.join('')).toContain('"deprecated":true');
    const { message } = JSON.parse(petstore.logs.join(''));
    expect(message).toMatchObject({
      operation: 'getPet',
      clientId: 'anonymous',
      deprecated: true,
      sourceIp: '127.0.0.1',
    });
    expect(message.userAgent).toBe(headers['User-Agent'].slice(0, 200));
    await petstore.stop();
  });

  it('returns 410 gone with the same headers after its sunset, if the stage enforces it', async () => {
    const petstore = await serveWith({ sunsetOn: '2025-06-30', enforceSunset: true });
    const response = await petstore.anonymous('GET', '/pets/1');
    await petstore.stop();
    expectError(response, 410, 'gone');
    expect(response.headers.get('Deprecation')).toBe('@1735689600');
    expect(response.headers.get('Sunset')).toBe('Mon, 30 Jun 2025 23:59:59 GMT');
    expect(response.headers.get('Link')).toBe(`<${petstore.url}/pets?id=1>; rel="successor-version"`);
  });

  it('works before its sunset, also if the stage enforces it', async () => {
    const petstore = await serveWith({ sunsetOn: '2999-12-31', enforceSunset: true });
    expectError(await petstore.anonymous('GET', '/pets/1'), 404, 'pet_not_found');
    await petstore.stop();
  });
});

describe('the sunset', () => {
  it('ends with the last second of its day in UTC', () => {
    Object.assign(process.env, { DEPRECATED_ON: '2026-11-01', SUNSET_ON: '2027-12-31', ENFORCE_SUNSET: 'true' });
    const at = (time: string) => () => addLifeCycleHeaders(getPet, () => Date.parse(time)).before!({} as never);
    expect(at('2027-12-31T23:59:59Z')).not.toThrow();
    expect(at('2028-01-01T00:00:00Z')).toThrow(expect.objectContaining({ name: 'gone' }));
  });
});
