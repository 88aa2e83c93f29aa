import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { cacheKeyOf, keepInCache, readCache } from './assembly-cache.ts';
import type { AppOptions } from './build-app.ts';
import { scratchFolder } from './temp-folder.ts';
import type { Template } from './template.ts';

const root = join(import.meta.dirname, '../..');

/** A synthesized stack: its template, and where the assets that it names are. */
export interface Assembly {
  readonly template: Template;
  /** S3 key of an asset → its folder. */
  readonly assets: ReadonlyMap<string, string>;
}

interface Manifest {
  readonly files: Record<string, { source: { path: string }; destinations: Record<string, { objectKey: string }> }>;
}

/** Synthesizes the app in this process, with the context of cdk.json and, unless asked for, without validation. */
export const synthesize = async (options: AppOptions = {}): Promise<Assembly> => {
  // The CDK takes a second to load: what is in the cache needs none of it.
  const { buildApp } = await import('./build-app.ts');
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  const app = await buildApp({
    outdir: scratchFolder('assembly'),
    ...options,
    context: { ...context, ...options.context },
  });
  const [stack] = app.synth().stacks;
  const manifest: Manifest = JSON.parse(
    readFileSync(stack!.templateFullPath.replace(/template\.json$/, 'assets.json'), 'utf8'),
  );
  const assets = new Map(
    Object.values(manifest.files).flatMap(({ source, destinations }) =>
      Object.values(destinations).map(
        ({ objectKey }) => [objectKey, resolve(dirname(stack!.templateFullPath), source.path)] as const,
      ),
    ),
  );
  return { template: stack!.template as Template, assets };
};

/** The same, from the cache while neither the sources nor these options have changed. */
export const synthesizeOnce = async (options: Pick<AppOptions, 'stage' | 'settings'>): Promise<Assembly> => {
  const key = cacheKeyOf(options);
  return readCache(key) ?? keepInCache(key, outdir => synthesize({ ...options, ...(outdir && { outdir }) }));
};

/** Settings of the stage `local`. @param webhook the address of a server that is sent every event, as fast as a rule may */
export const localSettings = (webhook: string | undefined): Partial<Settings> =>
  webhook ? { webhooks: { local: { url: webhook, types: ['petstore.*'], secret: 'petstore/local', rate: 300 } } } : {};
