import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sourceMapOf } from '../build/bundle/source-maps.ts';
import { commandOf } from './shared/command.ts';
import { jsonOrUndefined } from './shared/json-or-undefined.ts';

/** Turns a trace of a deployed function, as CloudWatch shows it, into source lines. */

const usage = `npm run symbolicate [-- FILE] [--build HASH] [--maps FOLDER]
  FILE           what CloudWatch shows: a log line, several, or a bare trace (default: what is pasted)
  --build HASH   the build, where the line does not name it: the function's variable BUILD
  --maps FOLDER  the assembly that was deployed (default cdk.out)`;

const { fail, misused, readOptions, run } = commandOf(usage);
const {
  values: { build, maps },
  positionals: [file],
} = readOptions(
  { build: { type: 'string' }, maps: { type: 'string', default: join(import.meta.dirname, '../../cdk.out') } },
  { allowPositionals: true },
);

const loadMap = (folder: string, build: string): SourceMap => {
  const file = sourceMapOf(join(folder, `asset.${build}`));
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return fail(
      `There is no map ${file}. Synthesis writes maps beside the assets: name the cdk.out that was deployed (--maps FOLDER), or run "npm run synth" at its commit.`,
    );
  }
};

const buildIn = (words: string): string | undefined => /"build":\s*"([0-9a-f]{64})"/.exec(words)?.[1];

/** A place in a bundle, by line and column. */
const place = /(?:file:\/\/)?[\w./-]*\/index\.mjs:(\d+):(\d+)/g;

const sourced = (words: string, map: SourceMap): string =>
  words.replace(place, (found, line, column) => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    return 'originalSource' in entry
      ? `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
      : found;
  });

/** JSON is indented: a stack trace of thirty frames is easier to read from top to bottom. */
const indented = (line: string): string => JSON.stringify(jsonOrUndefined(line), null, 2) ?? line;

const read = async (): Promise<string> => {
  if (!file) return text(process.stdin);
  return existsSync(file) ? readFileSync(file, 'utf8') : misused(`There is no file ${file}.`);
};

await run(async () => {
  const words = await read();
  if (!words.match(place)) fail('There is no trace of a bundle in it: no index.mjs:line:column.');

  const known = new Map<string, SourceMap>();
  const only = build ?? buildIn(words);
  for (const line of jsonOrUndefined(words) ? [words] : words.trimEnd().split('\n')) {
    const named =
      build ??
      buildIn(line) ??
      only ??
      misused('No build is named: add --build HASH, which is the function’s variable BUILD.');
    const map = known.get(named) ?? loadMap(maps, named);
    known.set(named, map);
    console.log(sourced(indented(line), map));
  }
}, 'The trace could not be read');
