import { join } from 'node:path';
import { type StageSettings, settingsOf } from '../config/settings.ts';
import { buildDocument } from './document.ts';

/** The committed document, with the default limits. */
export const documentFile = join(import.meta.dirname, 'openapi.json');

/** @param given the limits and dates that the document states, where they differ from the defaults */
export const documentText = ({ limits = {}, lifeCycle }: StageSettings = {}): string => {
  const settings = settingsOf('any', { limits, ...(lifeCycle && { lifeCycle }) });
  return `${JSON.stringify(buildDocument(settings), null, 2)}\n`;
};
