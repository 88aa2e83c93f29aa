import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { findTokenUrl } from '../../../cdk/commands/shared/find-token-url.ts';

/** The URL of an API with this document. */
const serve = async (document: string): Promise<string> => {
  const server = createServer((_, response) => response.end(document)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/beta`;
};
const documentWith = (tokenUrl: string) =>
  JSON.stringify({ components: { securitySchemes: { oauth2: { flows: { clientCredentials: { tokenUrl } } } } } });

it('finds an absolute URL and a path', async () => {
  expect(await findTokenUrl(await serve(documentWith('https://auth.shop.test/token')))).toBe(
    'https://auth.shop.test/token',
  );
  const base = await serve(documentWith('/oauth2/token'));
  expect(await findTokenUrl(base)).toBe(`${new URL(base).origin}/oauth2/token`);
});

it.each(['{}', 'null', 'not JSON', documentWith('https://auth.petstore.example.com/oauth2/token')])(
  'throws when the document has no token endpoint: %s',
  async document => {
    const base = await serve(document);
    await expect(findTokenUrl(base)).rejects.toThrow(
      `${base}/openapi.json has no token endpoint. Name it with --token-url, or set tokenUrl for the stage.`,
    );
  },
);
