import { createLocalJWKSet, type JWK, jwtVerify } from 'jose';

/** The claims of a token as API Gateway passes them to a function: all values are strings. */
export type Claims = Record<string, string>;

/**
 * API Gateway's Cognito authorizer for a method with scopes. The token must be an unexpired access token of this pool with
 * at least one of the scopes.
 * @returns undefined for a 401, whatever the reason
 */
export const createAuthorizer = (issuer: string, publicJwk: JWK) => {
  const keys = createLocalJWKSet({ keys: [publicJwk] });
  return async (authorization: string | undefined, scopes: readonly string[]): Promise<Claims | undefined> => {
    try {
      const token = (authorization ?? '').replace(/^Bearer /i, '').trim();
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        algorithms: ['RS256'],
        requiredClaims: ['exp', 'sub'],
      });
      const granted = String(payload.scope ?? '').split(' ');
      if (payload.token_use !== 'access' || !scopes.some(scope => granted.includes(scope))) return undefined;
      return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]));
    } catch {
      return undefined;
    }
  };
};
