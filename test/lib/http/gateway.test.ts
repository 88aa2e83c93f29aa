import { describe, expect, it } from 'vitest';
import { contentSecurityPolicy } from '../../../lib/http/content-security-policy.ts';
import { type GatewayEvent, headerValues, pathParametersOf } from '../../../lib/http/gateway.ts';

describe('the values of a request header', () => {
  const valuesOf = (multiValueHeaders: GatewayEvent['multiValueHeaders'], name: string) =>
    headerValues({ multiValueHeaders } as GatewayEvent, name);

  it('are those of all lines, whatever the case of the name', () => {
    expect(valuesOf({ 'If-Match': ['"a"', '"b"'], 'IF-MATCH': ['"c"'], Accept: ['*/*'] }, 'if-match')).toEqual([
      '"a"',
      '"b"',
      '"c"',
    ]);
  });

  it('are undefined when the header is absent', () => {
    expect([valuesOf({ Accept: ['*/*'] }, 'If-Match'), valuesOf(null as never, 'If-Match')]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('a path parameter', () => {
  it.each([
    ['1', '1'],
    ['%31', '1'],
    ['%2F', '/'],
    ['%zz', '%zz'],
  ])('%s is decoded to %s', (sent, decoded) => {
    expect(pathParametersOf({ pathParameters: { petId: sent } } as never)).toEqual({ petId: decoded });
  });

  it('is absent without parameters', () => {
    expect(pathParametersOf({ pathParameters: null } as never)).toEqual({});
  });
});

describe('the Content-Security-Policy', () => {
  it('allows own scripts and styles, and requests to the origins of the given URLs, once each', () => {
    const connect = (...urls: (string | undefined)[]) => contentSecurityPolicy(...urls);
    expect(connect('https://a.test/beta', undefined, 'https://b.test/token', 'https://a.test/')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' https://a.test https://b.test; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });
});
