import { createHmac } from 'node:crypto';

/** Bytes of a signing key (Standard Webhooks 1.0, "Signature scheme"). */
const [minKey, maxKey] = [24, 64];

/** A secret is `whsec_` and the base64 of a key. Returns undefined for any other text. */
export const keyOf = (secret: string | undefined): Buffer | undefined => {
  const base64 = /^whsec_(.+)$/.exec(secret ?? '')?.[1];
  if (base64 === undefined) return undefined;
  const key = Buffer.from(base64, 'base64');
  // Node ignores characters that are not base64. Receivers' libraries do not.
  const isBase64 = key.toString('base64') === base64;
  return isBase64 && key.length >= minKey && key.length <= maxKey ? key : undefined;
};

/**
 * Standard Webhooks 1.0, with one signature for each key.
 * @param id has no dot, because a dot ends the id in the signed content
 * @param time of this attempt (not of the event), in milliseconds: receivers reject old timestamps
 */
export const signatureHeaders = (
  keys: readonly Buffer[],
  id: string,
  body: string,
  time: number,
) => {
  const timestamp = String(Math.floor(time / 1000));
  const signatureOf = (key: Buffer) =>
    `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map(signatureOf).join(' '),
  };
};
