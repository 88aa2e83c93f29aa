import { createHash } from 'node:crypto';

/** Equal values must have equal texts. */
const sorted = (_: string, value: unknown) => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const names = Object.keys(value).sort() as (keyof typeof value)[];
  return Object.fromEntries(names.map(name => [name, value[name]]));
};

/** The first 128 bits of the SHA-256 of a JSON value. */
export const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value, sorted)).digest('base64url').slice(0, 22);
