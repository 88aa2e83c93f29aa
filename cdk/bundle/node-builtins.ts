import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * An ESM `import` of a Node built-in module calls its lazy getters: `node:http` loads undici, WebSocket and web streams, about 15
 * ms of a cold start. `process.getBuiltinModule` does not. Each name becomes an export, so that esbuild can remove unused names.
 * With CommonJS, each importing file would copy all names, which calls the getters (those of `node:util` load its decoders).
 */
export const builtins: Plugin = {
  name: 'builtins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^[a-z:/_]+$/ }, ({ path, kind }) => {
      if (!isBuiltin(path)) return undefined;
      return {
        path,
        namespace: kind === 'import-statement' ? 'builtin' : 'whole-builtin',
        sideEffects: false,
      };
    });
    onLoad({ filter: /.*/, namespace: 'builtin' }, async ({ path }) => {
      const { default: _, ...named } = await import(path);
      const exported = Object.keys(named).map(
        name => `export const ${name} = /* @__PURE__ */ (() => $builtin.${name})();`,
      );
      const whole = `const $builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`;
      return { contents: [whole, 'export default $builtin;', ...exported].join('\n') };
    });
    // For `import()` and `require`, which need the module object.
    onLoad({ filter: /.*/, namespace: 'whole-builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }));
  },
};
