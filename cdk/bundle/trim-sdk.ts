import type { Plugin } from 'esbuild';
import { replacements } from './sdk-replacements.ts';

/** Modules that all clients share count as DynamoDB's. */
const clientOf = (path: string) => {
  if (path.includes('multi-region')) return '@aws-sdk/client-eventbridge';
  return /^@aws-sdk\/client-[a-z-]+/.exec(path)?.[0] ?? '@aws-sdk/client-dynamodb';
};

/**
 * Tests run the bundles, so they fail if a needed module is missing. The build fails if an SDK upgrade removes a replaced one.
 */
export const createTrimSdk = (replaced: Readonly<Record<string, string>>): Plugin => ({
  name: 'trim-sdk',
  setup: ({ onLoad, onEnd }) => {
    const unused = new Set(Object.keys(replaced));
    onLoad({ filter: /node_modules/ }, ({ path }) => {
      // On Windows, esbuild passes backslashes.
      const posixPath = path.replaceAll('\\', '/');
      const found = Object.keys(replaced).find(suffix => posixPath.endsWith(suffix));
      if (!found) return undefined;
      unused.delete(found);
      return { contents: replaced[found]!, loader: 'js' };
    });
    onEnd(({ metafile }) => {
      const inputs = Object.keys(metafile?.inputs ?? {});
      const missing = [...unused].filter(path =>
        inputs.some(file => file.includes(clientOf(path))),
      );
      if (missing.length === 0) return {};
      const text = `The SDK no longer has ${missing.join(', ')}. Find the module that replaces it, and update cdk/bundle/sdk-replacements.ts.`;
      return { errors: [{ text }] };
    });
  },
});

export const trimSdk = createTrimSdk(replacements);
