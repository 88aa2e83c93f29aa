import { readFileSync } from 'node:fs';
import type { StageSettings } from '../config/settings.ts';
import * as page from './page.ts';
import { committed, type Source } from './served-file.ts';

/** The committed file states the default limits and dates. For a stage with others, the document is generated. */
const documentOf = async ({ limits = {}, lifeCycle }: StageSettings): Promise<string> => {
  if (Object.keys(limits).length === 0 && !lifeCycle) return committed();
  // Imported here, because it loads slowly. The URL hides it from `npm run dev`, which restarts if an imported file changes.
  const url = new URL('../openapi/document-file.ts', import.meta.url).href;
  const { documentText }: typeof import('../openapi/document-file.ts') = await import(url);
  return documentText({ limits, ...(lifeCycle && { lifeCycle }) });
};

/** The files that functions serve: deployed beside the bundle, and read at runtime. */
export const servedFiles: Readonly<Record<string, Record<string, Source>>> = {
  getOpenApi: { 'openapi.json': document => document },
  ...page.filesOfFunctions,
};

/** The files of a function, with the limits and dates of these settings. */
export const readServedFiles = async (name: string, settings: StageSettings = {}) => {
  const sources = Object.entries(servedFiles[name] ?? {});
  const document = sources.length > 0 ? await documentOf(settings) : '';
  const read = async (source: Source) =>
    typeof source === 'function' ? source(document) : readFileSync(source);
  return Promise.all(sources.map(async ([file, source]) => [file, await read(source)] as const));
};
