import type { Plugin } from 'esbuild';
import { replacements } from './replacements.ts';

/**
 * The SDK without what is replaced. The integration tests run on the bundles, so what is missing here would fail there; a
 * path that a new SDK no longer has fails the build.
 */
export const bareSdk: Plugin = {
  name: 'bare-sdk',
  setup: ({ onLoad, onEnd }) => {
    const unused = new Set(Object.keys(replacements));
    onLoad({ filter: /node_modules/ }, ({ path }) => {
      const found = Object.keys(replacements).find(suffix => path.endsWith(suffix));
      if (!found) return undefined;
      unused.delete(found);
      return { contents: replacements[found]!, loader: found.endsWith('.json') ? 'json' : 'js' };
    });
    onEnd(({ metafile }) => {
      const usesSdk = Object.keys(metafile?.inputs ?? {}).some(file => file.includes('@aws-sdk/client-dynamodb'));
      if (unused.size === 0 || !usesSdk) return {};
      const text = `The SDK no longer has ${[...unused].join(', ')}. Find where it went and mend cdk/bundle/replacements.ts.`;
      return { errors: [{ text }] };
    });
  },
};
