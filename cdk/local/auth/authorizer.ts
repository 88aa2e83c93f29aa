import { createLocalJWKSet, type JWK, type JWTPayload, jwtVerify } from 'jose';

/** API Gateway passes all claims to a function as strings. */
export type Claims = Record<string, string>;

const maxTokens = 1_000;

/**
 * Emulates API Gateway's Cognito authorizer for methods with scopes: accepts an unexpired access token of this pool with at least
 * one of the scopes. Checks the signature of a kept token once, and its expiry at each request.
 * @param now in milliseconds since the epoch
 * @returns a function that returns the token's claims, or undefined for a 401
 */
export const createAuthorizer = (issuer: string, publicJwk: JWK, now: () => number = Date.now) => {
  const keys = createLocalJWKSet({ keys: [publicJwk] });
  /** The key is the whole token with its signature. */
  const verified = new Map<string, JWTPayload>();

  const verify = async (token: string): Promise<JWTPayload> => {
    const known = verified.get(token);
    if (known && known.exp! > Math.floor(now() / 1000)) return known;
    verified.delete(token);
    const rules = {
      issuer,
      algorithms: ['RS256'],
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(now()),
    };
    const { payload } = await jwtVerify(token, keys, rules);
    verified.set(token, payload);
    const [oldest] = verified.keys();
    if (verified.size > maxTokens) verified.delete(oldest!);
    return payload;
  };

  return async (
    authorization: string | undefined,
    scopes: readonly string[],
  ): Promise<Claims | undefined> => {
    try {
      const payload = await verify((authorization ?? '').replace(/^Bearer /i, '').trim());
      const granted = String(payload.scope ?? '').split(' ');
      if (payload.token_use !== 'access' || !scopes.some(scope => granted.includes(scope)))
        return undefined;
      return Object.fromEntries(
        Object.entries(payload).map(([name, value]) => [name, String(value)]),
      );
    } catch {
      return undefined;
    }
  };
};
