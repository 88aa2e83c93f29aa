import sdk from '@aws-sdk/client-dynamodb/package.json' with { type: 'json' };
import type { Plugin } from 'esbuild';

/**
 * Parts of the SDK that a Lambda function never runs, and what stands in for them. The integration tests run on the
 * bundles, so what is missing here would fail there; a path that a new SDK no longer has fails the build.
 */
const replacements: { readonly [path: string]: string } = {
  // In Lambda the credentials are always in the environment; the chain of SSO, STS, ini files and metadata is not needed.
  '@aws-sdk/credential-provider-node/dist-es/index.js': `
    export const defaultProvider = () => async () => ({
      accessKeyId: process.env.AWS_ACCESS_KEY_ID,
      secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
      sessionToken: process.env.AWS_SESSION_TOKEN,
    });`,
  // The template gives every function its endpoint, so there are no rules to evaluate and nothing to discover.
  '@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver.js': `
    export const defaultEndpointResolver = ({ Endpoint }) => ({ url: new URL(Endpoint) });`,
  '@aws-sdk/middleware-endpoint-discovery/dist-es/index.js': `
    export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = { environmentVariableSelector: () => false };
    export const resolveEndpointDiscoveryConfig = config => config;`,
  // Configuration comes from the code and the environment; a function has no ini files.
  '@smithy/core/dist-es/submodules/config/node-config-provider/configLoader.js': `
    export const loadConfig = ({ environmentVariableSelector, default: fallback }) => async () =>
      environmentVariableSelector(process.env) ?? (typeof fallback === 'function' ? fallback() : fallback);`,
  // DynamoDB answers no event streams.
  '@smithy/core/dist-es/submodules/event-streams/index.js': `
    export const EventStreamSerde = undefined, eventStreamSerdeProvider = undefined;`,
  // Node has SHA-256.
  '@smithy/core/dist-es/submodules/checksum/sha256/Sha256Js.js': 'export const Sha256Js = undefined;',
  // Only the version is read.
  '@aws-sdk/client-dynamodb/package.json': JSON.stringify({ version: sdk.version }),
};

/** The SDK without those parts. */
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
      const text = `The SDK no longer has ${[...unused].join(', ')}. Find where it went and mend cdk/bundle/bare-sdk.ts.`;
      return { errors: [{ text }] };
    });
  },
};
