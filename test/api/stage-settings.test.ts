import { expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { createCategory } from '../support/fixtures.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';

const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/0123-abcd';
const publicUrl = 'https://proxy.example.com/shop';
const tokenUrl = 'https://tokens.example.com/oauth2/token';
const lifeCycle = { getPet: { deprecatedOn: '2025-01-01', sunsetOn: '2025-06-30' } };

const settings = {
  publicUrl,
  domain: { name: 'pets.example.com', certificateArn },
  lifeCycle,
  enforceSunset: true,
};
const assembly = await synthesizeShared({ stage: 'local', settings });
const petstore = usePetstore({ assembly, environment: { TOKEN_URL: tokenUrl } });

it('Location, Link, document and policy have the public URL rather than the domain, and no forwarded header', async () => {
  const headers = {
    'X-Forwarded-Host': 'evil.example.com',
    'X-Forwarded-Proto': 'http',
    Forwarded: 'host=evil',
  };
  await createCategory(petstore.staff);
  const created = await petstore.staff('POST', '/pets/categories', {
    headers,
    body: { name: 'Cats' },
  });
  expect(created.headers.get('Location')).toBe(`${publicUrl}/pets/categories/${created.body.id}`);
  const get = (path: string) => petstore.anonymous('GET', path, { headers });
  const next = (await get('/pets/categories?limit=1')).headers.get('Link');
  expect(next?.startsWith(`<${publicUrl}/pets/categories?limit=1&cursor=`)).toBe(true);
  const { servers, components } = (await get('/openapi.json')).body;
  expect(servers).toEqual([expect.objectContaining({ url: publicUrl })]);
  expect(components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(tokenUrl);
  const policy = (await get('/docs')).headers.get('Content-Security-Policy');
  expect(policy).toContain(
    `connect-src 'self' ${new URL(publicUrl).origin} https://tokens.example.com;`,
  );
});

it('returns 410 gone after the sunset of a deprecated operation, if the stage enforces it', async () => {
  const response = await petstore.anonymous('GET', '/pets/1');
  expectError(response, 410, 'gone');
  const headers = ['Deprecation', 'Sunset', 'Link'].map(name => response.headers.get(name));
  const successor = `<${publicUrl}/pets?id=1>; rel="successor-version"`;
  expect(headers).toEqual(['@1735689600', 'Mon, 30 Jun 2025 23:59:59 GMT', successor]);
});
