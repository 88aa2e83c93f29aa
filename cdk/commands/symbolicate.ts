import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { sourceMapOf } from '../bundle/source-maps.ts';
import { commandOf, print, runMain, text, UsageError } from '../command.ts';
import { jsonOrUndefined } from '../files/json-or-undefined.ts';

const usage = `npm run symbolicate [-- FILE] [--build HASH] [--maps FOLDER]
Replaces the positions in a stack trace of a deployed function by source lines.
  FILE           log lines or a stack trace, copied from CloudWatch (default: standard input)
  --build HASH   the build, if the log line does not contain it: the environment variable BUILD of the function
  --maps FOLDER  the deployed assembly, which has the source maps (default cdk.out)`;

const loadMap = (folder: string, build: string): SourceMap => {
  const file = sourceMapOf(join(folder, `asset.${build}`));
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new Error(
      `There is no source map ${file}. Name the deployed cdk.out (--maps FOLDER), or run "npx cdk synth -c stage=NAME" at the deployed commit.`,
    );
  }
};

const noBuild =
  'The input names no build. Add --build HASH: the environment variable BUILD of the function.';
const buildIn = (text: string): string | undefined => /"build":\s*"([0-9a-f]{64})"/.exec(text)?.[1];

const position = /(?:file:\/\/)?[\w./-]*\/index\.mjs:(\d+):(\d+)/g;

const symbolicate = (text: string, map: SourceMap): string =>
  text.replace(position, (found, line, column) => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    return 'originalSource' in entry
      ? `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
      : found;
  });

/** Indented, a stack trace of thirty frames is easier to read. */
const indented = (line: string): string => JSON.stringify(jsonOrUndefined(line), null, 2) ?? line;

const readInput = async (file: string | undefined): Promise<string> => {
  if (!file) return textOf(process.stdin);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  throw new UsageError(`There is no file ${file}.`);
};

const maps = { ...text, default: join(import.meta.dirname, '../../cdk.out') };
const options = { build: text, maps };
const definition = { usage, options, most: 1, failure: 'The stack trace could not be read' };

export const command = commandOf(definition, async ({ build, maps }, [file]) => {
  const input = await readInput(file);
  if (!input.match(position))
    throw new Error('The input has no stack trace of a bundle: no index.mjs:line:column.');

  const loaded = new Map<string, SourceMap>();
  const firstBuild = buildIn(input);
  for (const line of jsonOrUndefined(input) ? [input] : input.trimEnd().split('\n')) {
    const hash = build ?? buildIn(line) ?? firstBuild;
    if (!hash) throw new UsageError(noBuild);
    const map = loaded.get(hash) ?? loadMap(maps, hash);
    loaded.set(hash, map);
    print(symbolicate(indented(line), map));
  }
});

if (import.meta.main) await runMain(command);
