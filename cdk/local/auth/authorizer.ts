import { createLocalJWKSet, type JWK, jwtVerify } from 'jose';

/** The claims that API Gateway hands to a function: strings all. */
export type Claims = Record<string, string>;

/**
 * API Gateway's Cognito authoriser for a method with scopes: an access token of this pool, unexpired, with at least one
 * of the method's scopes. Undefined is a 401, whatever the reason.
 */
export const createAuthoriser = (issuer: string, publicJwk: JWK) => {
  const keys = createLocalJWKSet({ keys: [publicJwk] });
  return async (authorization: string | undefined, scopes: readonly string[]): Promise<Claims | undefined> => {
    try {
      const token = (authorization ?? '').replace(/^Bearer /i, '').trim();
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        algorithms: ['RS256'],
        requiredClaims: ['exp', 'sub'],
      });
      const held = String(payload.scope ?? '').split(' ');
      if (payload.token_use !== 'access' || !scopes.some(scope => held.includes(scope))) return undefined;
      return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]));
    } catch {
      return undefined;
    }
  };
};
