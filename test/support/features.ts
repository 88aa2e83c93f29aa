import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { all, imports } from './import-graph.ts';
import { read, root } from './project.ts';

/** What a shop may not want: the paths of its own files, and what `git grep` finds in texts and rows. */
export const features = {
  webhooks: [/webhook/i, '-i webhook'],
  spreadsheet: [
    /^cdk\/commands\/(export|import\/)|^test\/(clients|commands|e2e|support)\/(catalog|import(?!-graph)|repair|rows|spreadsheet|undo|workbook|writes)/,
    "-iE 'npm run (import|export|seed)|spreadsheet'",
  ],
  page: [
    /^cdk\/openapi\/guide|\/(page\.|getDocs|docs-files|served-files\.test|documentation\.test)/,
    "-E '/docs|getDocs|Service-Link|swagger-ui|guide.md'",
  ],
} as const;
export type Feature = keyof typeof features;

const { scripts, dependencies, devDependencies } = manifest;
const runs = (file: string) => Object.values(scripts).some(line => line.includes(file));
const files = globSync('{lib,functions,cdk,test}/**/*.*', {
  cwd: root,
  exclude: ['**/node_modules', '**/.petstore'],
});
const isSource = (file: string) => !file.startsWith('test/');

/** Its files, with those that only these import, and what else has to change without them. */
export const removalOf = (feature: Feature) => {
  const own = files.filter(file => features[feature][0].test(file));
  const gone = new Set(own);
  const importersOf = (file: string) =>
    imports.filter(({ from, to }) => to === file && (!isSource(file) || isSource(from)));
  for (let size = 0; size !== gone.size; ) {
    size = gone.size;
    for (const file of all.filter(path => !runs(path))) {
      const importers = importersOf(file);
      if (importers.length > 0 && importers.every(({ from }) => gone.has(from))) gone.add(file);
    }
  }
  /** Tests may still use a package that only the feature's code needs. */
  const isUnused = (name: string) => {
    const users = all.filter(file => new RegExp(`'${name}['/]`).test(read(file)));
    const needing = users.some(isSource) ? users.filter(isSource) : users;
    return needing.length > 0 && needing.every(file => gone.has(file));
  };
  return {
    gone: [...gone].sort(),
    changed: imports.filter(({ from, to }) => gone.has(to) && !gone.has(from)),
    unused: [
      ...Object.keys({ ...dependencies, ...devDependencies }).filter(isUnused),
      ...Object.entries(scripts).flatMap(([name, line]) =>
        own.some(file => line.includes(`node ${file}`)) ? name : [],
      ),
    ],
  };
};

const isWholeTest = (file: string) => /\.(test|types)\.ts$/.test(file);

const depthOf = (line: string) =>
  [...line].reduce(
    (sum, char) => sum + Number('([{'.includes(char)) - Number(')]}'.includes(char)),
    0,
  );

const listed = (paths: Iterable<string>) =>
  [...new Set(paths)]
    .sort()
    .map(path => `\`${path}\``)
    .join(', ');

/** For CONTRIBUTING. */
export const removalText = (feature: Feature): string => {
  const { gone, changed, unused } = removalOf(feature);
  const isGone = new Set(gone);
  /** A folder without other files stands for its files. */
  const paths = gone.map(file => {
    const folder = `${dirname(file)}/`;
    return files.every(path => !path.startsWith(folder) || isGone.has(path)) ? folder : file;
  });
  const [tests, rows] = [true, false].map(is =>
    changed.map(({ from }) => from).filter(file => isWholeTest(file) === is),
  );
  const steps = [
    `Delete ${listed(paths)}.`,
    rows!.length > 0 &&
      `Delete the rows that name what they import from these, in ${listed(rows!)}.`,
    `Correct or delete the tests ${listed(tests!)}.`,
    `Delete from \`package.json\`: ${listed(unused)}.`,
    `Delete what \`git grep ${features[feature][1]}\` finds in texts and tests, then run \`npm run generate\`.`,
  ];
  const lines = steps.filter(Boolean).map((step, index) => `${index + 1}. ${step}`);
  return lines.map(line => line.replace(/(?=.{118})(.{1,117}) /g, '$1\n   ')).join('\n');
};

/** In a copy, does what CONTRIBUTING says: deletes files, and the rows that name what others import from them. */
export const takeOut = (folder: string, feature: Feature): void => {
  const { gone, changed } = removalOf(feature);
  for (const file of gone) rmSync(join(folder, file));
  for (const [file, ofFile] of Map.groupBy(changed, ({ from }) => from)) {
    const path = join(folder, file);
    if (isWholeTest(file)) {
      rmSync(path);
      continue;
    }
    const text = ofFile.reduce(
      (rest, one) => rest.replace(`${one.text};\n`, ''),
      readFileSync(path, 'utf8'),
    );
    const names = ofFile.flatMap(one =>
      one.names.map(name => (one.isWhole ? `${name}\\.\\w` : `${name}\\b`)),
    );
    const row = new RegExp(`\\b(${names.join('|')})`);
    let depth = 0;
    const kept = text.split('\n').filter(line => {
      if (depth === 0 && !row.test(line)) return true;
      depth += depthOf(line);
      return false;
    });
    writeFileSync(path, kept.join('\n'));
  }
};
