import { createPrivateKey, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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

const readKey = async (file: string): Promise<TokenKey> => {
  try {
    return await fromJwk(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new Error(
      `The key that signs tokens cannot be read from ${file} (${(error as Error).message}). Delete that file: a new key is made, tokens issued before are refused, the data stay.`,
    );
  }
};

/**
 * A key of this machine. With a folder it is kept there, so that tokens outlive a restart.
 * @throws when what is kept there is no key
 */
export const loadTokenKey = async (folder?: string): Promise<TokenKey> => {
  if (!folder) return fromJwk(await generate());
  const file = join(folder, 'token-key.json');
  if (existsSync(file)) return readKey(file);
  const jwk = await generate();
  mkdirSync(folder, { recursive: true });
  // Written whole beside it first: a process that is killed leaves no half key, which no later start could read.
  writeFileSync(`${file}.new`, JSON.stringify(jwk), { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return fromJwk(jwk);
};
