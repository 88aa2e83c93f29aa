import { readFile } from 'node:fs/promises';
import { sep } from 'node:path';
import type { Plugin } from 'esbuild';

/** From a constant's `=` to the end of its statement: the first `;` that ends a line after which another statement begins. */
const constant = /^((?:export )?const [^=\n]+ = )([\s\S]+?);\n(?=\n*(?:[a-z/]|(?![\s\S])))/gm;

/**
 * A schema is data (lib/schemas), but made by calls, and a bundler keeps a call that may do something else. Here each
 * constant of a schema's file becomes a call that is marked pure: what a function does not use it does not build.
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
