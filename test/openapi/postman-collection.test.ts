import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { documentText } from '../../cdk/openapi/document-file.ts';
import { postmanCollection } from '../../cdk/openapi/postman-collection.ts';

// test/clients/postman.ts runs the collection with Newman.

const { event } = JSON.parse(postmanCollection(JSON.parse(documentText())));
const [{ script }] = event.filter(({ listen }: { listen: string }) => listen === 'prerequest');
const tokenUrl = 'https://auth.example.com/oauth2/token';
const document = {
  components: { securitySchemes: { oauth2: { flows: { clientCredentials: { tokenUrl } } } } },
};
const answer = (content: object) => ({ json: () => content });
type Sent = string | { url: string; header: { Authorization: string } };

it('the collection requests a token once in its lifetime, and for another client', () => {
  const stored: Record<string, unknown> = {};
  const clients: string[] = [];
  /** Before a request at a time in seconds. */
  const prepare = (
    time: number,
    clientId: string,
    clientSecret: string,
    baseUrl = 'https://pets.example.com',
  ) => {
    const given: Record<string, string> = { baseUrl, clientId, clientSecret };
    const pm = {
      variables: {
        replaceIn: (text: string) => text.replace(/{{(\w+)}}/g, (_, name) => given[name]!),
      },
      collectionVariables: {
        toObject: () => stored,
        set: (name: string, value: unknown) => (stored[name] = value),
      },
      sendRequest: (sent: Sent, done: (failure: null, response: object) => void) => {
        if (typeof sent === 'string') return done(null, answer(document));
        clients.push(atob(sent.header.Authorization.replace('Basic ', '')));
        done(null, answer({ access_token: `token ${clients.length}`, expires_in: 3_600 }));
      },
      test: (_: string, run: () => void) => run(),
      expect,
    };
    runInNewContext(script.exec.join('\n'), { pm, btoa, Date: { now: () => time * 1_000 } });
    return [stored.token, clients.at(-1)];
  };
  for (const time of [0, 1, 3_539])
    expect(prepare(time, 'shop', 'a')).toEqual(['token 1', 'shop:a']);
  for (const time of [3_541, 7_000])
    expect(prepare(time, 'shop', 'a')).toEqual(['token 2', 'shop:a']);
  expect(prepare(7_000, 'staff', 'b')).toEqual(['token 3', 'staff:b']);
  expect(prepare(7_000, '', ''), 'no client is given').toEqual(['token 3', 'staff:b']);
  expect(prepare(7_000, '', '', 'http://127.0.0.1:3000')).toEqual(['token 4', 'staff:local']);
});
