import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A path, or a text that is made of the stage's document. */
export type Source = string | ((document: string) => string | Promise<string>);

export const inOpenApi = (file: string): string => join(import.meta.dirname, '../openapi', file);

export const committed = () => readFileSync(inOpenApi('openapi.json'), 'utf8');
