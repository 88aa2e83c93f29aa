import { join } from 'node:path';
import {
  type BuildContext,
  type BuildFailure,
  type BuildOptions,
  build,
  context,
  formatMessages,
} from 'esbuild';
import { bundleOptions } from '../../bundle/bundle.ts';
import { functionNames } from '../../bundle/function-names.ts';
import { writeBundles } from '../../bundle/write-bundles.ts';
import { replaceFile } from '../../files/replace-file.ts';

/** A syntax error gets its file, line and source text. */
export const formatBuildError = async (error: unknown): Promise<string> => {
  const { errors, stack, message } = error as Partial<BuildFailure> & Error;
  if (!errors) return stack ?? message;
  const messages = await formatMessages([...errors], {
    kind: 'error',
    color: process.stderr.isTTY ?? false,
  });
  return messages.join('').trimEnd();
};

/**
 * Unlike deployed bundles, these share chunks and are not minified, because that is faster. Each bundle and chunk references its
 * own source map.
 */
const optionsOf = (names: readonly string[], outdir: string) =>
  ({
    ...bundleOptions(names, outdir),
    splitting: true,
    chunkNames: 'shared/[hash]',
    minify: false,
    sourcemap: 'linked',
    logLevel: 'silent',
  }) satisfies BuildOptions;

/**
 * @returns a function that bundles incrementally, and returns the folders of the changed functions
 * @throws what `formatBuildError` formats
 */
export const createBundler = (outdir: string) => {
  const written = new Map<string, string>();
  let bundled: readonly string[] = [];
  let bundler: BuildContext<ReturnType<typeof optionsOf>> | undefined;

  return async (): Promise<Set<string>> => {
    const names = functionNames();
    if (names.join() !== bundled.join()) {
      await bundler?.dispose();
      bundler = await context(optionsOf(names, outdir));
      bundled = names;
    }
    const { outputFiles } = await bundler!.rebuild();
    const isBundle = ({ path }: { path: string }) => path.endsWith('index.mjs');
    // Chunks come before the bundles that import them.
    for (const { path, contents, hash } of outputFiles.filter(output => !isBundle(output))) {
      if (written.get(path) !== hash) replaceFile(path, contents);
      written.set(path, hash);
    }
    return writeBundles(outputFiles.filter(isBundle), written);
  };
};

/**
 * The files of programs, without packages.
 * @throws what `formatBuildError` formats
 */
export const listSources = async (...entryPoints: string[]): Promise<ReadonlySet<string>> => {
  const { metafile } = await build({
    absWorkingDir: join(import.meta.dirname, '../../..'),
    entryPoints,
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'nowhere',
    logLevel: 'silent',
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  return new Set(Object.keys(metafile.inputs));
};
