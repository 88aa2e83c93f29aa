import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluate, onlyResourceOf, resourcesOf, type Template } from '../../cdk/build/template.ts';
import { settingsOf, withOwnTable } from '../../cdk/config/settings.ts';
import { createCategory, stockedPet } from '../support/fixtures.ts';
import { type Petstore, sharedAssembly, startPetstore, synthesizeShared } from '../support/petstore.ts';

const publicUrl = 'https://pets.example.com/shop';
const tokenUrl = 'https://tokens.example.com/oauth2/token';

/** Of the functions with an operation; the publisher has no URL. */
const environmentsOf = (template: Template): Record<string, string>[] =>
  resourcesOf(template, 'AWS::Lambda::Function')
    .map(([, raw]) => evaluate(raw).Environment.Variables)
    .filter(variables => !('EVENT_BUS' in variables));

/** The outputs with URLs of the API. */
const addressesOf = ({ Outputs = {} }: Template) =>
  Object.fromEntries(
    ['ApiUrl', 'DocsUrl', 'OriginUrl']
      .filter(name => name in Outputs)
      .map(name => [name, evaluate(Outputs[name]!.Value)]),
  );

describe('a stage with the setting publicUrl', () => {
  let petstore: Petstore;
  let template: Template;
  beforeAll(async () => {
    const assembly = await synthesizeShared({ stage: 'local', settings: { publicUrl } });
    template = assembly.template;
    petstore = await startPetstore({ assembly, environment: { TOKEN_URL: tokenUrl } });
  });
  afterAll(() => petstore.stop());

  it('has it in the environment of every function', () => {
    expect(new Set(environmentsOf(template).map(({ PUBLIC_URL }) => PUBLIC_URL))).toEqual(new Set([publicUrl]));
    expect(environmentsOf(sharedAssembly().template).some(variables => 'PUBLIC_URL' in variables)).toBe(false);
  });

  it('has it in the outputs, beside its own URL in OriginUrl', () => {
    const own = addressesOf(sharedAssembly().template);
    expect(Object.keys(own)).toEqual(['ApiUrl', 'DocsUrl']);
    expect(addressesOf(template)).toEqual({
      ...{ ApiUrl: `${publicUrl}/`, DocsUrl: `${publicUrl}/docs` },
      OriginUrl: own.ApiUrl,
    });
  });

  it('has it in Location and Link, and ignores forwarded headers of the client', async () => {
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

  it('has it in the OpenAPI document, with an unchanged token URL', async () => {
    const { body } = await petstore.anonymous('GET', '/openapi.json');
    expect(body.servers.map(({ url }: { url: string }) => url)).toEqual([publicUrl]);
    expect(body.components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(tokenUrl);
  });

  it('allows the page to connect to it and to the token endpoint', async () => {
    const page = await petstore.anonymous('GET', '/docs');
    const connect = "connect-src 'self' https://pets.example.com https://tokens.example.com;";
    expect(page.headers.get('Content-Security-Policy')).toContain(connect);
  });
});

describe('a stage with a domain', () => {
  const name = 'pets.example.com';
  const domain = { name, certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/0123-abcd' };
  const stage = (settings: object, of = 'prod') =>
    synthesizeShared({ stage: of, settings: { ...withOwnTable, ...settings } });

  it('has a regional domain with TLS 1.2 or later, and a disabled execute-api endpoint', async () => {
    const { template } = await stage({ domain });
    const [domainId, properties] = onlyResourceOf(template, 'AWS::ApiGateway::DomainName');
    expect(properties).toMatchObject({
      ...{ DomainName: name, EndpointConfiguration: { Types: ['REGIONAL'] } },
      ...{ RegionalCertificateArn: domain.certificateArn, EndpointAccessMode: 'STRICT' },
      SecurityPolicy: onlyResourceOf(template, 'AWS::ApiGateway::RestApi')[1].SecurityPolicy,
    });
    const [apiId, api] = onlyResourceOf(template, 'AWS::ApiGateway::RestApi');
    expect(api.DisableExecuteApiEndpoint).toBe(true);
    const [stageId] = onlyResourceOf(template, 'AWS::ApiGateway::Stage');
    const [, mapping] = onlyResourceOf(template, 'AWS::ApiGateway::BasePathMapping');
    expect(evaluate(mapping)).toEqual({ DomainName: domainId, RestApiId: apiId, Stage: stageId });
    expect(resourcesOf(template, 'AWS::Route53::RecordSet')).toEqual([]);
    expect(onlyResourceOf((await stage({})).template, 'AWS::ApiGateway::RestApi')[1]).not.toHaveProperty(
      'DisableExecuteApiEndpoint',
    );
  });

  it('has an alias record with the full name in the given hosted zone', async () => {
    const { template } = await stage({ domain: { ...domain, hostedZone: { id: 'Z0123', name: 'example.com' } } });
    const [domainId] = onlyResourceOf(template, 'AWS::ApiGateway::DomainName');
    expect(evaluate(onlyResourceOf(template, 'AWS::Route53::RecordSet')[1])).toEqual({
      ...{ Name: `${name}.`, Type: 'A', HostedZoneId: 'Z0123' },
      AliasTarget: {
        DNSName: `${domainId}.RegionalDomainName`,
        HostedZoneId: `${domainId}.RegionalHostedZoneId`,
      },
    });
  });

  it('has the domain in the outputs and in the environment of every function, or else the publicUrl', async () => {
    const { template } = await stage({ domain });
    expect(addressesOf(template)).toEqual({ ApiUrl: `https://${name}/`, DocsUrl: `https://${name}/docs` });
    expect(JSON.stringify(template.Outputs)).not.toContain('execute-api');
    const urls = (from: Template) => new Set(environmentsOf(from).map(({ PUBLIC_URL }) => PUBLIC_URL));
    expect(urls(template)).toEqual(new Set([`https://${name}`]));
    const behind = (await stage({ domain, publicUrl })).template;
    expect(urls(behind)).toEqual(new Set([publicUrl]));
    expect(addressesOf(behind)).toEqual({
      ...{ ApiUrl: `${publicUrl}/`, DocsUrl: `${publicUrl}/docs` },
      OriginUrl: `https://${name}/`,
    });
  });

  it('has the domain in links, document and Content-Security-Policy, with an unchanged token URL', async () => {
    const assembly = await stage({ domain }, 'local');
    const petstore = await startPetstore({ assembly, environment: { TOKEN_URL: tokenUrl } });
    const { headers, body } = await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    expect(headers.get('Location')).toBe(`https://${name}/pets/categories/${body.id}`);
    const document = (await petstore.anonymous('GET', '/openapi.json')).body;
    expect(document.servers).toEqual([expect.objectContaining({ url: `https://${name}` })]);
    expect(document.components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(tokenUrl);
    const page = await petstore.anonymous('GET', '/docs');
    expect(page.headers.get('Content-Security-Policy')).toContain(
      `connect-src 'self' https://${name} https://tokens.example.com;`,
    );
    await petstore.stop();
  });
});

describe('the setting publicUrl', () => {
  it.each(['https://pets.example.com', 'https://pets.example.com/a/b', 'https://pets.example.com:8443/v1'])(
    'accepts %s',
    url => {
      expect(settingsOf('prod', { publicUrl: url }).publicUrl).toBe(url);
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
  ])('rejects %s', url => {
    expect(() => settingsOf('prod', { publicUrl: url })).toThrow(
      `publicUrl: expected an https URL such as https://petstore.example.com/api, as a browser writes it, without a trailing slash, a query or a fragment, and with at most 512 characters, got ${JSON.stringify(url)}`,
    );
  });

  it('fails the synthesis when it is invalid', async () => {
    const settings = { publicUrl: 'http://pets.example.com' };
    await expect(synthesizeShared({ stage: 'local', settings })).rejects.toThrow('publicUrl: expected');
  });
});
