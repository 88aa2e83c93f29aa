import { readFileSync } from 'node:fs';
import { jsonOrUndefined } from '../json-or-undefined.ts';

/** Undefined: there is no such file, or it is not JSON. */
// biome-ignore lint/suspicious/noExplicitAny: like JSON.parse
export const readJsonFile = (file: string): any => {
  try {
    return jsonOrUndefined(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};
