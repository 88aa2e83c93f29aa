import { expect, it } from 'vitest';
import { contentSecurityPolicy } from '../../../lib/http/content-security-policy.ts';
import { headerValues, pathParametersOf } from '../../../lib/http/gateway.ts';
import { eventOf } from './toys.ts';

it.each<[Record<string, string[]> | null, string[] | undefined]>([
  [{ 'If-Match': ['"a"', '"b"'], 'IF-MATCH': ['"c"'], Accept: ['*/*'] }, ['"a"', '"b"', '"c"']],
  [{ Accept: ['*/*'] }, undefined],
  [null, undefined],
])('the values of if-match in %j are %j', (multiValueHeaders, values) => {
  expect(
    headerValues({ ...eventOf(), multiValueHeaders: multiValueHeaders as never }, 'if-match'),
  ).toEqual(values);
});

it.each([
  [{ petId: '%31' }, { petId: '1' }],
  [{ petId: '%2F' }, { petId: '/' }],
  [{ petId: '%zz' }, { petId: '%zz' }],
  [null, {}],
])('the path parameters %j are decoded to %j', (pathParameters, decoded) => {
  expect(pathParametersOf({ ...eventOf(), pathParameters })).toEqual(decoded);
});

it('a page may run its own scripts and styles, and connect to the origins of the given URLs, each named once', () => {
  expect(
    contentSecurityPolicy(
      'https://a.test/beta',
      undefined,
      'https://b.test/token',
      'https://a.test/',
    ),
  ).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' https://a.test https://b.test; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
});
