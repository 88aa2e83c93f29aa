import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildContext, type BuildFailure, context, formatMessages } from 'esbuild';
import { bundleOptions } from '../../bundle/bundle.ts';
import { writeOut } from '../../bundle/write-out.ts';

const root = join(import.meta.dirname, '../../..');

/** A function is a file in functions/, by its name. */
const functionNames = (): string[] =>
  readdirSync(join(root, 'functions'))
    .filter(name => name.endsWith('.ts'))
    .map(name => name.replace(/\.ts$/, ''));

/** An error as a person reads it: where the source does not parse, with the line. */
export const readable = async (error: unknown): Promise<string> => {
  const { errors, stack, message } = error as Partial<BuildFailure> & Error;
  if (!errors) return stack ?? message;
  return (await formatMessages([...errors], { kind: 'error', color: process.stderr.isTTY ?? false }))
    .join('')
    .trimEnd();
};

/**
 * Bundles the functions again and again, each time only what changed.
 * @returns the folders of the functions that are not as they were
 * @throws what `readable` explains
 */
export const createBuilder = (outdir: string): (() => Promise<Set<string>>) => {
  const written = new Map<string, string>();
  let bundler: BuildContext<{ write: false }> | undefined;
  let bundled = '';
  return async () => {
    const names = functionNames();
    if (names.join() !== bundled) {
      await bundler?.dispose();
      bundler = await context({ ...bundleOptions(names, outdir), logLevel: 'silent' });
      bundled = names.join();
    }
    const { outputFiles } = await bundler!.rebuild();
    return writeOut(outputFiles, written);
  };
};

/** The files that a program consists of, packages left out. @throws what `readable` explains */
export const createReader = (entry: string): (() => Promise<Set<string>>) => {
  const reading = context({
    absWorkingDir: root,
    entryPoints: [entry],
    ...{ bundle: true, write: false, metafile: true, outdir: 'nowhere', logLevel: 'silent' },
    ...{ packages: 'external', platform: 'node', format: 'esm' },
  } as const);
  return async () => new Set(Object.keys((await (await reading).rebuild()).metafile.inputs));
};
