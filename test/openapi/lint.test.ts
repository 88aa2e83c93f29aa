import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { documentFile } from '../../cdk/openapi/document-file.ts';

const text = readFileSync(documentFile, 'utf8');

/** The names of the fields that have the format of a date. */
const dates = Array.from(text.matchAll(/"(\w+)": \{[^{}]*"format": "date/g), ([, name]) => name);

/**
 * The static part is read first (OpenAPI 3.0.3, "Path Templating Matching"). AWS documents this only for HTTP APIs (API Gateway
 * developer guide, "Routing API requests"); of our REST API, `npm run verify` reads categories beside pets.
 */
const ofPets =
  /^no-ambiguous-paths: (?=.*`\/pets\/categories\/{categoryId}`).*`\/pets\/{petId}\/\w+`/;

/** With the names of parameters in place of their positions. */
const named = (path: readonly (string | number)[]): string => {
  let part = JSON.parse(text);
  const names = path.map((key, index) => {
    part = part?.[key];
    return path[index - 1] === 'parameters' ? part.name : key;
  });
  return names.join('.');
};

/** All recommended rules are on. These findings are accepted: a rule, and the paths at which it may report something. */
const accepted: Record<string, RegExp> = {
  // RateLimit headers are not standardized in an RFC. A 429 has Retry-After instead.
  'owasp:api4:2023-rate-limit': /\.headers$/,
  // An id in a query may be larger than any assigned id, and larger than an int64. No item matches it. An available quantity can
  // exceed the maximum of setInventory, because cancellations increase it.
  'owasp:api4:2023-integer-limit-legacy': /\.get\.parameters\.(?:id|\w+Id)\.schema|\.quantity$/,
  // An OpenAPI document is a free-form object.
  'owasp:api3:2023-no-additionalProperties': /^paths\.\/openapi\.json\./,
  // The specification of this API requires int64 ids. Scopes and ownership protect resources; ids need not be secret.
  'owasp:api1:2023-no-numeric-ids': /\.parameters\.(?:id|\w+Id)\.schema$/,
  // The specification has a format for ids and for nothing else. Of two formats, a client could not add or compare the values.
  'owasp:api4:2023-integer-format': /./,
  // A type for dates has no length, so a length breaks generated clients (spectral-owasp-ruleset#41).
  'owasp:api4:2023-string-limit': new RegExp(
    `(?:${dates.join('|')}|Location\\.schema|store/orders\\.get\\.parameters\\.placed\\w+\\.schema)$`,
  ),
  // Catalog and documentation are public. test/api/operations.test.ts tests that all other operations have a 401.
  'owasp:api2:2023-read-restricted': /\.get\.security$/,
  'owasp:api8:2023-define-error-responses-401': /\.get\.responses$/,
  // The client credentials grant has no refresh tokens (RFC 6749, section 4.4.3). Access tokens expire.
  'owasp:api2:2023-short-lived-access-tokens': /\.clientCredentials$/,
  // Free text, such as a description, has no pattern. Another rule checks that its length is limited.
  'owasp:api4:2023-string-restricted': /(?:\.properties\.\w+|\.(?:text|application)\/\w+\.schema)$/,
};

describe('the OpenAPI document', () => {
  it('passes Redocly’s recommended rules', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: text, absoluteRef: documentFile, config });
    const texts = problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
    expect(texts.filter(one => !ofPets.test(one))).toEqual([]);
  });

  it('passes Spectral’s OAS and OWASP rules', async () => {
    const spectral = new spectralCore.Spectral();
    spectral.setRuleset({ extends: [spectralRulesets.oas as never, owasp as never] });
    const found = await spectral.run(text);
    const isAccepted = ({ code, path }: (typeof found)[number]) =>
      accepted[code]?.test(named(path));
    const problems = found.filter(finding => !isAccepted(finding));
    expect(
      problems.map(({ code, message, path }) => `${code}: ${message} (${path.join('.')})`),
    ).toEqual([]);
    const codes = new Set(found.map(({ code }) => code));
    expect(Object.keys(accepted).filter(code => !codes.has(code))).toEqual([]);
  });
});
