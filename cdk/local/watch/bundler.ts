import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type BuildContext,
  type BuildFailure,
  type BuildOptions,
  context,
  formatMessages,
  type LogLevel,
  type Metafile,
} from 'esbuild';
import { bundleOptions } from '../../build/bundle/bundle.ts';
import { writeOut } from '../../build/bundle/write-bundles.ts';

const root = join(import.meta.dirname, '../../..');

/** A file and all that it imports, what is left out of a bundle as unused included: it may not stay so. */
const reachable = ({ inputs }: Metafile, entry: string): ReadonlySet<string> => {
  const found = new Set([entry]);
  // A set is walked through to what is added on the way.
  for (const file of found) for (const { path } of inputs[file]?.imports ?? []) found.add(path);
  return found;
};

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

type Bundler = BuildContext<ReturnType<typeof optionsOf>>;
const optionsOf = (names: readonly string[], outdir: string) =>
  ({ ...bundleOptions(names, outdir), logLevel: 'silent' as LogLevel }) satisfies BuildOptions;

/**
 * Bundles the functions again and again. What esbuild has read it keeps, but it links every function that it is asked
 * for anew; so it is asked for those alone that the saved files are in: a tenth of the time for one of them.
 * @returns what bundles, and tells the folders of the functions that are not as they were. It is told the files that were
 * saved, without which it bundles all functions, and may be told to leave out all functions but some.
 * @throws what `readable` explains
 */
export const createBuilder = (outdir: string) => {
  const written = new Map<string, string>();
  /** Function → the files in it. */
  const filesOf = new Map<string, ReadonlySet<string>>();
  /** One for all functions, one for those that were wanted last. */
  const bundlers = new Map<string, { readonly wanted: string; readonly bundler: Bundler }>();

  const bundlerOf = async (role: 'all' | 'some', names: readonly string[]): Promise<Bundler> => {
    const wanted = names.join();
    const present = bundlers.get(role);
    if (present?.wanted === wanted) return present.bundler;
    await present?.bundler.dispose();
    const bundler = await context(optionsOf(names, outdir));
    bundlers.set(role, { wanted, bundler });
    return bundler;
  };

  /** All of them, where something was saved that is in none yet; but no code of cdk/ ever is. */
  const concerned = (names: readonly string[], saved: ReadonlySet<string>): readonly string[] => {
    const having = (file: string) => names.filter(name => filesOf.get(name)?.has(file));
    const found = [...saved].filter(file => !/^cdk\/.*\.ts$/.test(file)).map(having);
    return found.some(list => list.length === 0) ? names : names.filter(name => found.flat().includes(name));
  };

  return async (saved: ReadonlySet<string> = new Set(), only?: ReadonlySet<string>): Promise<Set<string>> => {
    const all = functionNames();
    const names = (saved.size > 0 ? concerned(all, saved) : all).filter(name => only?.has(name) ?? true);
    if (names.length === 0) return new Set();
    const bundler = await bundlerOf(names.length < all.length ? 'some' : 'all', names);
    const { outputFiles, metafile } = await bundler.rebuild();
    for (const name of names) filesOf.set(name, reachable(metafile, `functions/${name}.ts`));
    return writeOut(outputFiles, written);
  };
};

/** The files that a program consists of, packages left out. @throws what `readable` explains */
export const createReader = (entry: string): (() => Promise<Set<string>>) => {
  const reading = context({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'nowhere',
    logLevel: 'silent',
    packages: 'external',
    platform: 'node',
    format: 'esm',
  } as const);
  return async () => new Set(Object.keys((await (await reading).rebuild()).metafile.inputs));
};
