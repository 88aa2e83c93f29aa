import { describe, expect, it } from 'vitest';
import type { Settings } from '../../cdk/config/settings.ts';
import { evaluate } from '../../cdk/synthesis/template.ts';
import { createCategory } from '../support/fixtures.ts';
import { sharedAssembly, synthesizeShared, usePetstore } from '../support/petstore.ts';

const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/0123-abcd';
const domain = { name: 'pets.example.com', certificateArn };
const publicUrl = 'https://proxy.example.com/shop';
const tokenUrl = 'https://tokens.example.com/oauth2/token';

describe.each<[string, Partial<Settings>, string]>([
  ['publicUrl', { publicUrl }, publicUrl],
  ['domain', { domain }, 'https://pets.example.com'],
  ['publicUrl and domain', { publicUrl, domain }, publicUrl],
])('a stage with the setting %s', async (_, settings, url) => {
  const assembly = await synthesizeShared({ stage: 'local', settings });
  const petstore = usePetstore({ assembly, environment: { TOKEN_URL: tokenUrl } });

  it('has its URL in Location, Link, document and policy, and ignores forwarded headers of the client', async () => {
    const headers = { 'X-Forwarded-Host': 'evil.example.com', 'X-Forwarded-Proto': 'http', Forwarded: 'host=evil' };
    await createCategory(petstore.staff);
    const created = await petstore.staff('POST', '/pets/categories', { headers, body: { name: 'Cats' } });
    expect(created.headers.get('Location')).toBe(`${url}/pets/categories/${created.body.id}`);
    const get = (path: string) => petstore.anonymous('GET', path, { headers });
    const next = (await get('/pets/categories?limit=1')).headers.get('Link');
    expect(next?.startsWith(`<${url}/pets/categories?limit=1&cursor=`)).toBe(true);
    expect((await get('/pets/1')).headers.get('Link')).toBe(`<${url}/pets?id=1>; rel="successor-version"`);
    const { servers, components } = (await get('/openapi.json')).body;
    expect(servers).toEqual([expect.objectContaining({ url })]);
    expect(components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(tokenUrl);
    const policy = (await get('/docs')).headers.get('Content-Security-Policy');
    expect(policy).toContain(`connect-src 'self' ${new URL(url).origin} https://tokens.example.com;`);
  });
});

it('a stage with the setting publicUrl has its own URL as an output', async () => {
  const { template } = await synthesizeShared({ stage: 'local', settings: { publicUrl } });
  const [own, behind] = [sharedAssembly().template.Outputs!.ApiUrl, template.Outputs!.OriginUrl];
  expect(evaluate(behind!.Value)).toBe(evaluate(own!.Value));
});
