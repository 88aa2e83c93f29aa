import { globSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { read, root } from './project.ts';

export const all = globSync('{lib,functions,cdk,test}/**/*.ts', {
  cwd: root,
  exclude: ['**/node_modules', '**/.petstore'],
});

/** Imports and exports of names, imports for side effects, and dynamic imports. */
const statement =
  /^(?:import|export)\s+(type\s)?([^;'"]*?)\sfrom\s+'(\.[^']+)'|(?:^import\s+|\bimport\(\s*)'(\.[^']+)'/gms;

export const imports = all.flatMap(from =>
  [...read(from).matchAll(statement)]
    .map(([text, type, names = '', to, nameless]) => ({
      from,
      to: normalize(join(dirname(from), (to ?? nameless)!)),
      typesOnly: type !== undefined || /^{(?:\s*type [^,}]+,?)+\s*}$/.test(names),
      text,
      /** Whether it imports all as one name. */
      isWhole: names.startsWith('*'),
      names: [...names.matchAll(/(\w+)\s*(?=,|}|$)/g)].map(([, name]) => name!),
    }))
    .filter(({ to }) => to.endsWith('.ts')),
);
