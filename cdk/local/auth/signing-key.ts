import { createPrivateKey, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { replaceFile } from '../../files/replace-file.ts';

/** The public key is a JSON Web Key (RFC 7517). */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicJwk: JWK;
}

const fromJwk = async (jwk: JWK): Promise<SigningKey> => {
  const { kty, n, e } = jwk;
  const publicJwk = { kty, n, e, alg: 'RS256', use: 'sig', kid: await calculateJwkThumbprint(jwk) };
  return { privateKey: createPrivateKey({ key: jwk, format: 'jwk' }), publicJwk };
};

/**
 * Stores the key in the data folder, so that tokens stay valid after a restart.
 * @throws if the file does not contain a key
 */
export const loadSigningKey = async (folder?: string): Promise<SigningKey> => {
  const file = folder && join(folder, 'token-key.json');
  try {
    if (file && existsSync(file)) return await fromJwk(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new Error(
      `The token signing key in ${file} cannot be read (${(error as Error).message}). Delete that file: the server creates a new key, rejects older tokens, and keeps its data.`,
    );
  }
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  if (file) replaceFile(file, JSON.stringify(jwk), { mode: 0o600 });
  return fromJwk(jwk);
};
