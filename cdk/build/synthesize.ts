import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type AppOptions, buildApp } from './build-app.ts';
import { scratchFolder } from './scratch-folder.ts';
import type { Template } from './template.ts';

const root = join(import.meta.dirname, '../..');

/** A synthesized stack: its template, and where the assets that it names are. */
export interface Assembly {
  readonly template: Template;
  /** S3 key of an asset → its folder. */
  readonly assets: ReadonlyMap<string, string>;
}

/** Synthesizes the app in this process, with the context of cdk.json. */
export const synthesize = async (options: AppOptions = {}): Promise<Assembly> => {
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  const app = await buildApp({
    outdir: scratchFolder('assembly'),
    ...options,
    context: { ...context, ...options.context },
  });
  const [stack] = app.synth().stacks;
  const manifest = JSON.parse(readFileSync(stack!.templateFullPath.replace(/template\.json$/, 'assets.json'), 'utf8'));
  const assets = new Map(
    Object.values<{ source: { path: string }; destinations: Record<string, { objectKey: string }> }>(
      manifest.files,
    ).flatMap(({ source, destinations }) =>
      Object.values(destinations).map(
        ({ objectKey }) => [objectKey, resolve(dirname(stack!.templateFullPath), source.path)] as const,
      ),
    ),
  );
  return { template: stack!.template as Template, assets };
};

/** The stack of this machine. @param webhook the address of a server that is to be sent every event, as fast as a rule may */
export const synthesizeLocally = (webhook: string | undefined, options: AppOptions = {}): Promise<Assembly> => {
  const settings = webhook
    ? { webhooks: { local: { url: webhook, types: ['petstore.*'], secret: 'petstore/local', rate: 300 } } }
    : {};
  return synthesize({ stage: 'local', settings, ...options });
};
