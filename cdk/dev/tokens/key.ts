import { createPrivateKey, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';

/** What tokens are signed with, and the public half that verifies them, as JSON Web Keys. RFC 7517. */
export interface TokenKey {
  readonly privateKey: KeyObject;
  readonly publicJwk: JWK;
}

const fromJwk = async (jwk: JWK): Promise<TokenKey> => {
  const { kty, n, e } = jwk;
  const publicJwk = { kty, n, e, alg: 'RS256', use: 'sig', kid: await calculateJwkThumbprint({ kty, n, e } as JWK) };
  return { privateKey: createPrivateKey({ key: jwk, format: 'jwk' }), publicJwk };
};

const generate = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return exportJWK(privateKey);
};

/** A key of this machine. With a folder it is kept there, so that tokens outlive a restart. */
export const loadTokenKey = async (folder?: string): Promise<TokenKey> => {
  if (!folder) return fromJwk(await generate());
  const file = join(folder, 'token-key.json');
  if (existsSync(file)) return fromJwk(JSON.parse(readFileSync(file, 'utf8')));
  const jwk = await generate();
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(jwk), { mode: 0o600 });
  return fromJwk(jwk);
};
