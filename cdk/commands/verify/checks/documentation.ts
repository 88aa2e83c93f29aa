import { filesOfPage } from '../../../../lib/docs-files.ts';
import { exampleTokenUrl, exampleUrl } from '../../../../lib/operations/getOpenApi.ts';
import { buildDocument } from '../../../openapi/document.ts';
import type { Check } from '../check.ts';
import { noted } from '../created.ts';

/** The path to the first value in which two JSON values differ. */
const difference = (a: unknown, b: unknown, path = ''): string | undefined => {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object')
    return a === b ? undefined : path || '/';
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) {
    const found = difference((a as never)[name], (b as never)[name], `${path}/${name}`);
    if (found) return found;
  }
  return undefined;
};

const tokenUrlOf = (document: { components?: { securitySchemes?: { oauth2?: { flows?: unknown } } } }) =>
  (document.components?.securitySchemes?.oauth2?.flows as { clientCredentials?: { tokenUrl?: string } } | undefined)
    ?.clientCredentials?.tokenUrl;

/** The committed document with the two values that a stage sets: its URL and its token endpoint. */
const asServed = (base: string, tokenUrl = exampleTokenUrl) => {
  const text = JSON.stringify(buildDocument()).replaceAll(exampleTokenUrl, tokenUrl).replaceAll(exampleUrl, base);
  const document = JSON.parse(text);
  document.servers[0].url = base;
  return document;
};

/** @returns what the policy lacks, or allows although it should not */
const policyFault = (policy: string, tokenOrigin: string): string | undefined => {
  const wanted = ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"];
  const missing = wanted.find(directive => !policy.includes(directive));
  if (missing) return `the policy lacks ${missing}: ${policy}`;
  if (policy.includes('unsafe')) return `the policy has an exception: ${policy}`;
  const connect = /connect-src ([^;]*)/.exec(policy)?.[1]?.split(' ') ?? [];
  return connect.includes("'self'") && connect.includes(tokenOrigin)
    ? undefined
    : `connect-src lacks 'self' or ${tokenOrigin}: ${policy}`;
};

/** The committed document, and the page that renders it. */
export const documentation = (base: string): readonly Check[] => [
  {
    name: 'the document equals the committed one',
    request: { method: 'GET', path: '/openapi.json' },
    expect: {
      status: 200,
      also: ({ body }) => {
        const place = difference(asServed(base, tokenUrlOf(body ?? {})), body);
        return place && `it differs at ${place}`;
      },
    },
    keep: ({ body }, { notes }) => {
      const tokenUrl = tokenUrlOf(body ?? {});
      if (tokenUrl) notes.set('token origin', new URL(tokenUrl, `${base}/`).origin);
    },
  },
  {
    name: 'the page and its Content-Security-Policy',
    request: { method: 'GET', path: '/docs' },
    expect: created => ({
      status: 200,
      headers: { 'Content-Type': /^text\/html; charset=utf-8$/i },
      also: ({ headers, text }) => {
        const absent = Object.keys(filesOfPage).find(
          file => !text.includes(`${new URL(`${base}/docs/`).pathname}${file}"`),
        );
        if (absent) return `the page does not load ${new URL(`${base}/docs/`).pathname}${absent}`;
        return policyFault(headers.get('Content-Security-Policy') ?? '', noted(created, 'token origin'));
      },
    }),
  },
  ...Object.entries(filesOfPage).map(
    ([file, type]): Check => ({
      name: `the page's ${file}`,
      request: { method: 'GET', path: `/docs/${file}` },
      expect: {
        status: 200,
        headers: { 'Content-Type': new RegExp(`^${type}; charset=utf-8$`, 'i'), ETag: /./ },
        also: ({ text }) => (text.length > 0 ? undefined : 'it is empty'),
      },
    }),
  ),
  {
    name: 'the root redirects to the page',
    request: { method: 'GET', path: '/' },
    expect: { status: 302, headers: { Location: `${base}/docs` } },
  },
];
