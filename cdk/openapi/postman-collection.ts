import { exampleUrl } from '../../lib/operations/getOpenApi.ts';
import {
  type Document,
  type DocumentedOperation,
  type DocumentedResponse,
  resolverOf,
} from './document-types.ts';

/** The order of the requests. Categories are created before their pets, and pets before their orders; deletions are reversed. */
const folders = { Create: ['post'], Read: ['get'], Change: ['put', 'patch'], Delete: ['delete'] };
const kinds = ['/pets/categories', '/pets', '/store', '/'];

/** Newman does not request a token by itself. Bruno translates these calls, if they have their arguments inline. A token is requested again before it expires, and for another client. */
const requestToken = `const given = pm.variables.replaceIn('{{clientId}}:{{clientSecret}}');
const isLocal = pm.variables.replaceIn('{{baseUrl}}').startsWith('http:');
const client = given === ':' && isLocal ? 'staff:local' : given;
const { tokenClient, tokenExpiresAt } = pm.collectionVariables.toObject();
if (client !== ':' && !(client === tokenClient && Date.now() < tokenExpiresAt))
  pm.sendRequest(pm.variables.replaceIn('{{baseUrl}}/openapi.json'), (failure, document) => {
    if (failure) throw failure;
    const { tokenUrl } = document.json().components.securitySchemes.oauth2.flows.clientCredentials;
    pm.sendRequest({
      url: tokenUrl,
      method: 'POST',
      header: { Authorization: 'Basic ' + btoa(client), 'Content-Type': 'application/x-www-form-urlencoded' },
      body: { mode: 'raw', raw: 'grant_type=client_credentials' },
    }, (error, response) => {
      pm.test('gets a token', () => pm.expect(error || JSON.stringify(response.json())).to.include('access_token'));
      const { access_token: token, expires_in: seconds } = response.json();
      const values = { token, tokenClient: client, tokenExpiresAt: Date.now() + (seconds - 60) * 1000 };
      for (const name in values) pm.collectionVariables.set(name, values[name]);
    });
  });`;
const script = (listen: 'prerequest' | 'test', text: string) => ({
  listen,
  script: { exec: text.split('\n') },
});

/** A script that stores the ids of a new resource. The links of a response say which ids it has. */
const storeIds = ({ responses }: DocumentedOperation, resolve: ReturnType<typeof resolverOf>) => {
  const links = Object.values((responses[201] as DocumentedResponse | undefined)?.links ?? {});
  const ids = links.flatMap(link =>
    Object.entries(resolve<{ parameters: Record<string, string> }>(link).parameters),
  );
  const lines = ids.map(([name, expression]) => {
    const id = expression.replace('$response.body#/', 'pm.response.json().');
    return `if (pm.response.code === 201) pm.collectionVariables.set('${name}', ${id});`;
  });
  return script('test', [...new Set(lines)].join('\n'));
};

/** A Postman collection (v2.1) with a request for each operation. getDocsFile replaces {{url}}. In an empty store, the requests succeed in their order. */
export const postmanCollection = (document: Document): string => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const parameters = operations.flatMap(({ operation }) => operation.parameters);
  const ids = parameters.filter(
    ({ in: place, example }) => place === 'path' && Number.isInteger(example),
  );
  /** With variables in place of ids. */
  const toText = (example: unknown): string =>
    ids.reduce(
      (text, id) => text.replaceAll(String(id.example), `{{${id.name}}}`),
      typeof example === 'string' ? example : JSON.stringify(example, null, 2),
    );
  const itemOf = ({ path, method, operation }: (typeof operations)[number]) => {
    const { summary: name, description, security, requestBody } = operation;
    const [query, variable, header] = (['query', 'path', 'header'] as const).map(wanted =>
      operation.parameters.flatMap(
        ({ name: key, in: place, example, description, required = false }) => {
          const [value, disabled] =
            key === 'Idempotency-Key'
              ? ['{{$guid}}']
              : [toText([example ?? ''].flat()[0]), !required];
          return place === wanted ? { key, value, description, ...(disabled && { disabled }) } : [];
        },
      ),
    );
    const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
    const [, ...segments] = path.replaceAll(/{(\w+)}/g, ':$1').split('/');
    const request = {
      method: method.toUpperCase(),
      description,
      url: {
        raw: ['{{baseUrl}}', ...segments].join('/'),
        host: ['{{baseUrl}}'],
        path: segments,
        query,
        variable,
      },
      header: [...header!, ...(type ? [{ key: 'Content-Type', value: type }] : [])],
      ...(type && {
        body: {
          mode: 'raw',
          raw: toText(content?.example),
          options: { raw: { language: 'json' } },
        },
      }),
      ...((security as object[]).length === 0 && { auth: { type: 'noauth' } }),
    };
    return { name, event: [storeIds(operation, resolverOf(document))], request };
  };
  const rankOf = ({ path }: { path: string }) => kinds.findIndex(kind => path.startsWith(kind));
  const item = Object.entries(folders).map(([name, methods]) => {
    const sorted = operations
      .filter(({ method }) => methods.includes(method))
      .sort((a, b) => rankOf(a) - rankOf(b));
    return { name, item: (name === 'Delete' ? sorted.reverse() : sorted).map(itemOf) };
  });
  const values = Object.entries({ baseUrl: '{{url}}', clientId: '', clientSecret: '', token: '' });
  const variables = new Map([
    ...values,
    ...ids.map(({ name, example }) => [name, String(example)] as const),
  ]);
  const description =
    'Set clientId and clientSecret. Run the requests in their order: they use the ids that you created.';
  const succeeds = "pm.test('succeeds', () => pm.expect(pm.response.code).to.be.within(200, 299));";
  const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
  return JSON.stringify({
    info: { name: 'Petstore', description, schema },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    event: [script('prerequest', requestToken), script('test', succeeds)],
    variable: [...variables].map(([key, value]) => ({ key, value })),
    item,
  }).replaceAll(exampleUrl, '{{url}}');
};
