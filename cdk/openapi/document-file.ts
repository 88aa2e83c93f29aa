import { join } from 'node:path';
import { type StageSettings, settingsOf } from '../config/settings.ts';
import { buildDocument } from './document.ts';

/** The committed document, with the default limits. */
export const documentFile = join(import.meta.dirname, 'openapi.json');

/** @param prod the settings of `prod`, whose limits and dates the document states */
export const documentText = (prod?: StageSettings): string =>
  `${JSON.stringify(buildDocument(settingsOf('prod', prod)), null, 2)}\n`;
