import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { type Replacement, replacements } from './sdk-replacements.ts';

/** Whose part it is; of what all clients share, DynamoDB's, which has them all. */
const clientOf = (path: string) => {
  if (path.includes('multi-region')) return '@aws-sdk/client-eventbridge';
  return /^@aws-sdk\/client-[a-z]+/.exec(path)?.[0] ?? '@aws-sdk/client-dynamodb';
};

/**
 * The SDK without what is replaced. The integration tests run on the bundles, so what is missing here would fail there; a
 * path that a new SDK no longer has fails the build.
 */
export const sdkWithout = (replaced: Readonly<Record<string, Replacement>>): Plugin => ({
  name: 'bare-sdk',
  setup: ({ onLoad, onEnd }) => {
    const unused = new Set(Object.keys(replaced));
    onLoad({ filter: /node_modules/ }, async ({ path }) => {
      const found = Object.keys(replaced).find(suffix => path.endsWith(suffix));
      if (!found) return undefined;
      unused.delete(found);
      const replacement = replaced[found]!;
      const contents = typeof replacement === 'string' ? replacement : replacement(await readFile(path, 'utf8'));
      return { contents, loader: found.endsWith('.json') ? 'json' : 'js' };
    });
    onEnd(({ metafile }) => {
      const inputs = Object.keys(metafile?.inputs ?? {});
      const missing = [...unused].filter(path => inputs.some(file => file.includes(clientOf(path))));
      if (missing.length === 0) return {};
      const text = `The SDK no longer has ${missing.join(', ')}. Find where it went and mend cdk/build/bundle/sdk-replacements.ts.`;
      return { errors: [{ text }] };
    });
  },
});

export const bareSdk = sdkWithout(replacements);
