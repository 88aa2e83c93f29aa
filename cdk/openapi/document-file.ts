import { join } from 'node:path';
import { buildDocument } from './document.ts';

/** The committed document, which getOpenApi serves. */
export const documentFile = join(import.meta.dirname, 'openapi.json');

export const documentText = (): string => `${JSON.stringify(buildDocument(), null, 2)}\n`;
