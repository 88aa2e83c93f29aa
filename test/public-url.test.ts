import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { synthesise } from '../cdk/assembly/synthesise.ts';
import { evaluate, resourcesOf, type Template } from '../cdk/assembly/template.ts';
import { publicUrlEnvironment } from '../cdk/public-url.ts';
import { type Petstore, sharedAssembly, sharedBundles, startPetstore } from './support/petstore.ts';
import { createCategory, stockedPet } from './support/shop.ts';

const publicUrl = 'https://pets.example.com/shop';
const tokenUrl = 'https://tokens.example.com/oauth2/token';

/** Of the functions that answer callers; the publisher of events names no address. */
const environmentsOf = (template: Template): Record<string, string>[] =>
  resourcesOf(template, 'AWS::Lambda::Function')
    .map(([, raw]) => evaluate(raw).Environment.Variables)
    .filter(variables => !('EVENT_BUS' in variables));

describe('a stage behind another address', () => {
  let petstore: Petstore;
  let template: Template;
  beforeAll(async () => {
    const assembly = await synthesise({ stage: 'local', settings: { publicUrl }, bundles: sharedBundles() });
    template = assembly.template;
    petstore = await startPetstore({ assembly, environment: { TOKEN_URL: tokenUrl } });
  });
  afterAll(() => petstore.stop());

  it('tells every function', () => {
    expect(new Set(environmentsOf(template).map(({ PUBLIC_URL }) => PUBLIC_URL))).toEqual(new Set([publicUrl]));
    expect(environmentsOf(sharedAssembly().template).some(variables => 'PUBLIC_URL' in variables)).toBe(false);
  });

  it('says that address wherever one is said, and none that a client names', async () => {
    const headers = { 'X-Forwarded-Host': 'evil.example.com', 'X-Forwarded-Proto': 'http', Forwarded: 'host=evil' };
    const created = await petstore.staff('POST', '/pets/categories', { headers, body: { name: 'Cats' } });
    expect(created.headers.get('Location')).toBe(`${publicUrl}/pets/categories/${created.body.id}`);
    await createCategory(petstore.staff);
    const list = await petstore.anonymous('GET', '/pets/categories?limit=1', { headers });
    expect(list.headers.get('Link')).toMatch(new RegExp(`^<${publicUrl}/pets/categories\\?limit=1&cursor=`));
    const { id } = await stockedPet(petstore.staff, 1);
    const pet = await petstore.anonymous('GET', `/pets/${id}`, { headers });
    expect(pet.headers.get('Link')).toBe(`<${publicUrl}/pets?id=${id}>; rel="successor-version"`);
  });

  it('says it in the document, whose token address stays', async () => {
    const { body } = await petstore.anonymous('GET', '/openapi.json');
    expect(body.servers.map(({ url }: { url: string }) => url)).toEqual([publicUrl]);
    expect(body.components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(tokenUrl);
  });

  it('has a page that may talk to that address and ask for tokens, also where it was opened at the stage’s own', async () => {
    const page = await petstore.anonymous('GET', '/docs');
    const connect = "connect-src 'self' https://pets.example.com https://tokens.example.com;";
    expect(page.headers.get('Content-Security-Policy')).toContain(connect);
  });
});

describe('the setting publicUrl', () => {
  it.each(['https://pets.example.com', 'https://pets.example.com/a/b', 'https://pets.example.com:8443/v1'])(
    'may be %s',
    url => {
      expect(publicUrlEnvironment(url)).toEqual({ PUBLIC_URL: url });
    },
  );

  it.each([
    '',
    '/shop',
    'pets.example.com',
    'http://pets.example.com',
    'https://',
    'https://pets.example.com/',
    'https://pets.example.com/shop/',
    'https://pets.example.com//shop',
    'https://pets.example.com/../shop',
    'https://pets.example.com?a=b',
    'https://pets.example.com/shop?',
    'https://pets.example.com/shop#top',
    'https://user@pets.example.com',
    'https://Pets.example.com',
    'https://pets.example.com:443',
    'https://pets.example.com/a b',
    `https://pets.example.com/${'x'.repeat(500)}`,
  ])('may not be %s', url => {
    expect(() => publicUrlEnvironment(url)).toThrow(`The setting publicUrl is "${url}".`);
  });

  it('stops the synthesis when it is wrong', async () => {
    const settings = { publicUrl: 'http://pets.example.com' };
    await expect(synthesise({ stage: 'local', settings, bundles: sharedBundles() })).rejects.toThrow('publicUrl');
  });
});
