import { expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';

const lifeCycle = { getPet: { deprecatedOn: '2025-01-01', sunsetOn: '2025-06-30' } };
const assembly = await synthesizeShared({ stage: 'local', settings: { lifeCycle, enforceSunset: true } });
const petstore = usePetstore({ assembly });

it('returns 410 gone after the sunset of a deprecated operation, if the stage enforces it', async () => {
  const response = await petstore.anonymous('GET', '/pets/1');
  expectError(response, 410, 'gone');
  const headers = ['Deprecation', 'Sunset', 'Link'].map(name => response.headers.get(name));
  expect(headers).toEqual([
    '@1735689600',
    'Mon, 30 Jun 2025 23:59:59 GMT',
    `<${petstore.url}/pets?id=1>; rel="successor-version"`,
  ]);
});
