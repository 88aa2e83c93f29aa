import manifest from '../../package.json' with { type: 'json' };

const givenEndpoint = `
    export const defaultEndpointResolver = ({ Endpoint }) => ({ url: new URL(Endpoint) });`;

/**
 * Replacements of SDK modules that this project does not need, by path. Requests do not change, except for the headers in
 * test/bundle/wire.test.ts.
 */
export const replacements: Readonly<Record<string, string>> = {
  // In Lambda the credentials are in the environment, so the provider chain (SSO, STS, ini files, metadata) is not needed.
  '@aws-sdk/credential-provider-node/dist-es/index.js': `
    export const defaultProvider = () => async () => ({
      accessKeyId: process.env.AWS_ACCESS_KEY_ID,
      secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
      sessionToken: process.env.AWS_SESSION_TOKEN,
    });`,
  // The endpoints are in the environment, so no endpoint rules or discovery are needed.
  ...Object.fromEntries(
    Object.keys(manifest.dependencies)
      .filter(name => name.startsWith('@aws-sdk/client-'))
      .map(name => [`${name}/dist-es/endpoint/endpointResolver.js`, givenEndpoint]),
  ),
  '@aws-sdk/core/dist-es/submodules/client/util-endpoints/aws.js':
    'export const awsEndpointFunctions = undefined;',
  // The bus is in one region. The multi-region signature needs another package.
  '@aws-sdk/signature-v4-multi-region/dist-es/index.js': `
    export { SignatureV4 as SignatureV4MultiRegion } from '@smithy/signature-v4';`,
  '@aws-sdk/middleware-endpoint-discovery/dist-es/index.js': `
    export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = { environmentVariableSelector: () => false };
    export const resolveEndpointDiscoveryConfig = config => config;`,
  '@smithy/core/dist-es/submodules/endpoints/middleware-endpoint/endpointMiddleware.js': `
    export const bindEndpointMiddleware = () => ({ config }) => (next, context) => async args => {
      const { protocol, hostname, port, path } = await config.endpoint();
      context.endpointV2 = { url: new URL(protocol + '//' + hostname + (port ? ':' + port : '') + path) };
      return next(args);
    };`,
  // A function has no ini files.
  '@smithy/core/dist-es/submodules/config/node-config-provider/configLoader.js': `
    export const loadConfig = ({ environmentVariableSelector, default: fallback }) => async () =>
      environmentVariableSelector(process.env) ?? (typeof fallback === 'function' ? fallback() : fallback);`,
  // DynamoDB has no event streams.
  '@smithy/core/dist-es/submodules/event-streams/index.js': `
    export const EventStreamSerde = undefined, eventStreamSerdeProvider = undefined;`,
  // Access to the global `crypto` loads all of Web Crypto.
  '@smithy/core/dist-es/submodules/serde/uuid/v4.js': `
    import { randomUUID } from 'node:crypto';
    export const bindV4 = () => randomUUID;`,
  // The clients have their own request handler, which reads complete responses (lib/aws/request-handler.ts).
  '@smithy/node-http-handler/dist-es/index.js': `
    export const NodeHttpHandler = { create: handler => handler }, streamCollector = undefined;`,
  // This project has its own retries (lib/model/table/retry.ts). The step must remain, because signing is ordered after it.
  '@smithy/core/dist-es/submodules/retry/middleware-retry/retryMiddleware.js': `
    export const bindRetryMiddleware = () => undefined, retryMiddlewareOptions = undefined;
    export const bindGetRetryPlugin = () => () => ({
      applyToStack: stack =>
        stack.add(next => next, { name: 'retryMiddleware', step: 'finalizeRequest', priority: 'high' }),
    });`,
  '@smithy/core/dist-es/submodules/retry/middleware-retry/configurations.js': `
    export const NODE_MAX_ATTEMPT_CONFIG_OPTIONS = undefined, NODE_RETRY_MODE_CONFIG_OPTIONS = undefined;
    export const ENV_MAX_ATTEMPTS = undefined, CONFIG_MAX_ATTEMPTS = undefined;
    export const ENV_RETRY_MODE = undefined, CONFIG_RETRY_MODE = undefined;
    export const resolveRetryConfig = config => config;`,
};
