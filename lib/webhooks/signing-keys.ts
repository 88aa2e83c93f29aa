import type { GetSecretValueCommandOutput } from '@aws-sdk/client-secrets-manager';
import { hasNoResponse } from '../aws/connection.ts';
import { getSecretValue } from './clients.ts';
import { keyOf } from './signature.ts';

interface Keys {
  readonly current: Buffer;
  /** The key before the last rotation, which also signs until this time. */
  readonly previous: { readonly key: Buffer; readonly until: number } | undefined;
}

/** `keys` can also be the error of reading the secret. */
interface CachedKeys {
  readonly keys: Promise<Keys>;
  readonly staleAt: number;
}

/** Milliseconds, as below. After a rotation, the new key signs within this time. */
const cacheTime = 5 * 60 * 1000;
/** For errors that AWS returns. Otherwise each attempt would read the secret again, and AWS charges for each read. */
const errorCacheTime = 30 * 1000;
/** For this time after a rotation, deliveries also have a signature with the previous key. */
const rotationTime = 24 * 3600 * 1000;

const cache = new Map<string, CachedKeys>();

/** @returns undefined when the version does not exist */
const readVersion = async (
  secret: string,
  stage: string,
): Promise<GetSecretValueCommandOutput | undefined> => {
  try {
    return await getSecretValue(secret, stage);
  } catch (error) {
    const { name, message } = error as Error;
    if (hasNoResponse(error as Error))
      throw new Error(`Secrets Manager did not respond: ${name}: ${message}`, { cause: error });
    if (name === 'ResourceNotFoundException') return undefined;
    // AWS denies access also when a secret does not exist: the policy allows ARNs with a secret's random suffix, and the bare
    // name of a missing secret does not match (github.com/jenkinsci/aws-secrets-manager-credentials-provider-plugin/pull/65: "IAM
    // authorisation happens first").
    const what =
      name === 'AccessDeniedException'
        ? 'does not exist, or the function may not read it'
        : 'cannot be read';
    throw new Error(`The secret ${secret} ${what}: ${name}: ${message}`);
  }
};

const readKeys = async (secret: string, now: number): Promise<Keys> => {
  const version = await readVersion(secret, 'AWSCURRENT');
  if (!version)
    throw new Error(`The secret ${secret} does not exist in Secrets Manager, or has no value.`);
  const current = keyOf(version.SecretString);
  if (!current)
    throw new Error(`The secret ${secret} is not "whsec_" and the base64 of 24 to 64 bytes.`);
  // The date of the current version (API reference, GetSecretValue) is the time of the rotation.
  const until = (version.CreatedDate?.getTime() ?? 0) + rotationTime;
  // A malformed previous secret is ignored, because the rotation has corrected it.
  const key =
    now < until ? keyOf((await readVersion(secret, 'AWSPREVIOUS'))?.SecretString) : undefined;
  return { current, previous: key && { key, until } };
};

const read = async (secret: string, now: number): Promise<CachedKeys> => {
  const keys = readKeys(secret, now);
  const time = await keys.then(
    () => cacheTime,
    ({ cause }) => (cause ? 0 : errorCacheTime),
  );
  const cached = { keys, staleAt: now + time };
  cache.set(secret, cached);
  return cached;
};

/**
 * The current key, and for 24 hours after a rotation also the previous key.
 * @param secret its name in Secrets Manager
 * @throws when the secret is missing or malformed, or cannot be read
 */
export const signingKeys = async (secret: string): Promise<Buffer[]> => {
  const now = Date.now();
  const cached = cache.get(secret);
  const { keys } = cached && now < cached.staleAt ? cached : await read(secret, now);
  const { current, previous } = await keys;
  return previous && now < previous.until ? [current, previous.key] : [current];
};
