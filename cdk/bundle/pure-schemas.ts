import { readFile } from 'node:fs/promises';
import { sep } from 'node:path';
import type { Plugin } from 'esbuild';

/** A statement ends at the first `;` at the end of a line before another statement. */
const constant = /^((?:export )?const [^=\n]+ = )([\s\S]+?);\n(?=\n*(?:[a-z/]|(?![\s\S])))/gm;

/**
 * esbuild does not remove calls that may have side effects, and calls create schemas. Marked as pure, the constants of
 * lib/schemas are only in bundles that use them.
 */
export const pureSchemas: Plugin = {
  name: 'pure-schemas',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]lib[\\/]schemas[\\/][\w-]+\.ts$/ }, async ({ path }) => {
      if (path.includes(`${sep}node_modules${sep}`)) return undefined;
      const source = await readFile(path, 'utf8');
      const contents = source.replace(constant, '$1/* @__PURE__ */ (() => ($2))();\n');
      return { contents, loader: 'ts' };
    });
  },
};
