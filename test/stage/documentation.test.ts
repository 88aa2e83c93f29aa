import { expect, it } from 'vitest';
import { documentText } from '../../cdk/openapi/document-file.ts';
import { stages } from '../../cdk/stages.ts';
import { filesOfPage } from '../../lib/docs-files.ts';
import { exampleTokenUrl, exampleUrl } from '../../lib/operations/getOpenApi.ts';
import { call, stage, useStage } from './stage.ts';

await useStage();

const readDocument = async () => {
  // The ETag of a compressed response is an open question.
  const { body } = await call('GET', '/openapi.json', {
    headers: { 'Accept-Encoding': 'identity' },
  });
  return {
    document: body,
    tokenUrl: body.components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl,
  };
};

it('the document is the one of this version', async () => {
  const { document, tokenUrl } = await readDocument();
  const text = JSON.stringify(JSON.parse(documentText(stages[stage.settingsOf]))).replaceAll(
    exampleTokenUrl,
    tokenUrl,
  );
  const own = JSON.parse(text.replaceAll(exampleUrl, stage.url));
  own.servers[0].url = stage.url;
  expect(document).toEqual(own);
});

it('the page loads its own files, and calls only the API and the token endpoint', async () => {
  const { text, headers } = await call('GET', '/docs');
  expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  const path = new URL(`${stage.url}/docs/`).pathname;
  for (const file of Object.keys(filesOfPage))
    expect(text.includes(`${path}${file}"`), file).toBe(true);
  const policy = headers.get('Content-Security-Policy')!;
  for (const directive of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ])
    expect(policy).toContain(directive);
  expect(policy).not.toContain('unsafe');
  const { origin } = new URL((await readDocument()).tokenUrl, `${stage.url}/`);
  expect(/connect-src ([^;]*)/.exec(policy)?.[1]?.split(' ')).toEqual(
    expect.arrayContaining(["'self'", origin]),
  );
});

it.each(Object.entries(filesOfPage))('the file %s of the page', async (file, type) => {
  const response = await call('GET', `/docs/${file}`);
  expect(response.headers.get('Content-Type')).toBe(`${type}; charset=utf-8`);
  expect(response.text).not.toBe('');
});

it('the root redirects to the page', async () => {
  const { status, headers } = await call('GET', '/');
  expect([status, headers.get('Location')]).toEqual([302, `${stage.url}/docs`]);
});
