import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * An ESM `import` of a Node builtin fires its lazy getters: `node:http` then loads undici, WebSocket and web streams, some
 * 15 ms of a cold start. `process.getBuiltinModule` gives the same module without that.
 */
export const builtins: Plugin = {
  name: 'builtins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^[a-z:/_]+$/ }, ({ path }) => (isBuiltin(path) ? { path, namespace: 'builtin' } : undefined));
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }));
  },
};
