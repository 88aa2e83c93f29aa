import { copyFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import sdk from '@aws-sdk/client-dynamodb/package.json' with { type: 'json' };
import { build, type Metafile, type Plugin } from 'esbuild';
import { type filesOfPage, pageFile } from '../lib/docs-files.ts';
import type { OperationId } from '../lib/operations/index.ts';
import { scratchFolder } from './scratch-folder.ts';

const root = join(import.meta.dirname, '..');

/**
 * An ESM `import` of a Node builtin fires its lazy getters: `node:http` then loads undici, WebSocket and web streams, some
 * 15 ms of a cold start. `process.getBuiltinModule` gives the same module without that.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^[a-z:/_]+$/ }, ({ path }) => (isBuiltin(path) ? { path, namespace: 'builtin' } : undefined));
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }));
  },
};

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

const bareSdk: Plugin = {
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
      const text = `The SDK no longer has ${[...unused].join(', ')}. Find where it went and mend cdk/bundle.ts.`;
      return { errors: [{ text }] };
    });
  },
};

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Files that lie beside a bundle and are read on request: the finished document, and the page that shows it. */
const filesBeside: Partial<Record<OperationId, Record<string, string>>> = {
  getOpenApi: { 'openapi.json': join(root, 'cdk/openapi/openapi.json') },
  getDocs: { [pageFile]: join(root, 'cdk/openapi/page.html') },
  getDocsFile: {
    'page.js': join(root, 'cdk/openapi/page.js'),
    'swagger-ui-bundle.js': join(swaggerUi, 'swagger-ui-bundle.js'),
    'swagger-ui.css': join(swaggerUi, 'swagger-ui.css'),
  } satisfies Record<keyof typeof filesOfPage, string>,
};

export interface Bundles {
  /** The folder of one function's code, for an asset. */
  readonly folderOf: (id: OperationId) => string;
  readonly metafile: Metafile;
}

/**
 * Bundles every function in one call, minified, each into a folder of its own below `outdir`.
 * @throws when an entry is missing, does not parse, or a replaced part of the SDK is gone
 */
export const bundle = async (ids: readonly OperationId[], outdir = scratchFolder('functions')): Promise<Bundles> => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ids.map(id => ({ in: `functions/${id}.ts`, out: `${id}/index` })),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [builtins, bareSdk],
  });
  for (const id of ids) {
    for (const [name, file] of Object.entries(filesBeside[id] ?? {})) await copyFile(file, join(outdir, id, name));
  }
  return { folderOf: id => join(outdir, id), metafile };
};
