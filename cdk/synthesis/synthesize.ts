import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { App } from 'aws-cdk-lib';
import type { Settings, StageSettings } from '../config/settings.ts';
import * as webhooks from '../config/webhooks.ts';
import { tempFolder } from '../files/temp-folder.ts';
import { cached, cacheKeyOf } from './assembly-cache.ts';
import type { AppOptions } from './build-app.ts';
import type { Assembly, Template } from './template.ts';

const root = join(import.meta.dirname, '../..');

/** Of the CDK's manifest. */
interface Asset {
  readonly source: { readonly path: string };
  readonly destinations: Record<string, { readonly objectKey: string }>;
}

export const assemble = (app: App): Assembly => {
  const [stack] = app.synth().stacks;
  const folder = dirname(stack!.templateFullPath);
  const manifest = readFileSync(
    stack!.templateFullPath.replace(/template\.json$/, 'assets.json'),
    'utf8',
  );
  const assets = Object.values<Asset>(JSON.parse(manifest).files).flatMap(
    ({ source, destinations }) =>
      Object.values(destinations).map(
        ({ objectKey }) => [objectKey, resolve(folder, source.path)] as const,
      ),
  );
  return { template: stack!.template as Template, assets: new Map(assets) };
};

/** Uses the context of cdk.json. Validation is off by default. */
export const synthesize = async (options: AppOptions = {}): Promise<Assembly> => {
  // Loaded here, because the CDK takes a second to load, and a cached assembly does not need it.
  const { buildApp } = await import('./build-app.ts');
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  const app = await buildApp({
    outdir: tempFolder('assembly'),
    // Nothing reads tree.json of these assemblies, and writing it takes a quarter of a synthesis.
    treeMetadata: false,
    ...options,
    // `cdk synth` prints warnings; here they would stand between the lines of a command.
    context: {
      ...context,
      '@aws-cdk/core:annotationsInValidationReport': false,
      ...options.context,
    },
  });
  return assemble(app);
};

/** Cached by the sources and these options, with assets of its own. */
export const synthesizeOnce = async (
  options: Pick<AppOptions, 'stage' | 'settings'>,
): Promise<Assembly> =>
  cached(cacheKeyOf(options), outdir => synthesize({ ...options, ...(outdir && { outdir }) }));

interface LocalChanges {
  /** Receives every event. */
  readonly webhook: string | undefined;
  /** Whether the rate limits of `prod` apply, which the OpenAPI document states. */
  readonly throttle: boolean;
  /** Of a tunnel to the local server. */
  readonly publicUrl?: string | undefined;
}

/** Never changes the timeouts of functions. @param prod its rate limits apply with `throttle` */
export const localSettings = async (
  changes: LocalChanges,
  prod?: StageSettings,
): Promise<StageSettings> => {
  const { throttle, publicUrl } = changes;
  const urls = {
    ...(changes.webhook && webhooks.sentTo(changes.webhook)),
    ...(publicUrl && { publicUrl }),
  };
  if (!throttle) return urls;
  // Loaded here, because the settings load the CDK.
  const { localStage, settingsOf } = await import('../config/settings.ts');
  const { limits, defaultThrottle } = settingsOf('prod', prod);
  const throttled = Object.entries(settingsOf('local', localStage).limits).map(
    ([id, { timeout }]) => {
      return [id, { ...limits[id as keyof Settings['limits']], timeout }];
    },
  );
  return { ...urls, limits: Object.fromEntries(throttled), defaultThrottle };
};
