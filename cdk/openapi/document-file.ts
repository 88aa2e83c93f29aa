import { join } from 'node:path';
import { buildDocument } from './document.ts';

/** The document as it is committed and served. */
export const documentFile = join(import.meta.dirname, 'openapi.json');

export const documentText = (): string => `${JSON.stringify(buildDocument(), null, 2)}\n`;
