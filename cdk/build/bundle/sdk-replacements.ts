import sdk from '@aws-sdk/client-dynamodb/package.json' with { type: 'json' };
import { declaredErrors, registeredErrors } from './sdk-errors.ts';

const givenEndpoint = `
    export const defaultEndpointResolver = ({ Endpoint }) => ({ url: new URL(Endpoint) });`;

/** What stands in for a file, or is made of it. */
export type Replacement = string | ((source: string) => string);

/**
 * Parts of the SDK that a function of this project never runs, by their paths, and what stands in for them. What they
 * put on the wire stays (test/build/wire.test.ts names the headers that do not).
 */
export const replacements: { readonly [path: string]: Replacement } = {
  // In Lambda the credentials are always in the environment; the chain of SSO, STS, ini files and metadata is not needed.
  '@aws-sdk/credential-provider-node/dist-es/index.js': `
    export const defaultProvider = () => async () => ({
      accessKeyId: process.env.AWS_ACCESS_KEY_ID,
      secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
      sessionToken: process.env.AWS_SESSION_TOKEN,
    });`,
  // The template gives every function its endpoints, so there are no rules to evaluate and nothing to discover.
  '@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver.js': givenEndpoint,
  '@aws-sdk/client-eventbridge/dist-es/endpoint/endpointResolver.js': givenEndpoint,
  '@aws-sdk/client-sqs/dist-es/endpoint/endpointResolver.js': givenEndpoint,
  '@aws-sdk/core/dist-es/submodules/client/util-endpoints/aws.js': 'export const awsEndpointFunctions = undefined;',
  // A stage's bus is in one region; the signature for several would ask for another package.
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
  // Configuration comes from the code and the environment; a function has no ini files.
  '@smithy/core/dist-es/submodules/config/node-config-provider/configLoader.js': `
    export const loadConfig = ({ environmentVariableSelector, default: fallback }) => async () =>
      environmentVariableSelector(process.env) ?? (typeof fallback === 'function' ? fallback() : fallback);`,
  // The client names its mode; asking the metadata of a machine for its region is for the mode 'auto'.
  '@smithy/core/dist-es/submodules/config/defaults-mode/resolveDefaultsModeConfig.js': `
    export const resolveDefaultsModeConfig = ({ defaultsMode }) => async () => defaultsMode;`,
  '@smithy/core/dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js':
    'export const getInstanceMetadataRegion = undefined;',
  // The errors of what no function calls.
  '@aws-sdk/client-dynamodb/dist-es/models/errors.js': declaredErrors,
  '@aws-sdk/client-dynamodb/dist-es/schemas/schemas_0.js': registeredErrors,
  // DynamoDB answers no event streams, and takes none.
  '@smithy/signature-v4/dist-es/HeaderFormatter.js': 'export class HeaderFormatter {}',
  '@smithy/core/dist-es/submodules/event-streams/index.js': `
    export const EventStreamSerde = undefined, eventStreamSerdeProvider = undefined;`,
  // Node has SHA-256.
  '@smithy/core/dist-es/submodules/checksum/sha256/Sha256Js.js': 'export const Sha256Js = undefined;',
  // Looking for the global `crypto` loads all of web cryptography.
  '@smithy/core/dist-es/submodules/serde/uuid/v4.js': `
    import { randomUUID } from 'node:crypto';
    export const bindV4 = () => randomUUID;`,
  // The client brings its request handler, which reads answers to their ends (lib/aws/request-handler.ts).
  '@smithy/node-http-handler/dist-es/index.js': `
    export const NodeHttpHandler = { create: handler => handler }, streamCollector = undefined;`,
  // Retries are ours (lib/model/table/retry.ts). With one attempt, the SDK's do nothing but number it. Signing asks for its place.
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
  // The SDK finds out which of its features are used, to say so in every request; the client has its own name to say.
  '@aws-sdk/core/dist-es/submodules/client/middleware-user-agent/user-agent-middleware.js': `
    const middleware = ({ defaultUserAgentProvider }) => next => async args => {
      args.request.headers['user-agent'] = (await defaultUserAgentProvider()).join(' ');
      return next(args);
    };
    export const userAgentMiddleware = undefined, getUserAgentMiddlewareOptions = undefined;
    export const getUserAgentPlugin = config => ({
      applyToStack: stack => stack.add(middleware(config), { name: 'userAgent', step: 'build', priority: 'low' }),
    });`,
  '@aws-sdk/core/dist-es/submodules/client/util-user-agent-node/defaultUserAgent.js': `
    export const createDefaultUserAgentProvider = undefined, defaultUserAgent = undefined, crtAvailability = undefined;`,
  // Bodies are strings and bytes here, never files.
  '@smithy/core/dist-es/submodules/serde/util-body-length/calculateBodyLength.js': `
    export const calculateBodyLength = body => Buffer.byteLength(body);`,
  // The client has no logger.
  '@aws-sdk/core/dist-es/submodules/client/middleware-logger/loggerMiddleware.js': `
    export const loggerMiddleware = undefined, loggerMiddlewareOptions = undefined;
    export const getLoggerPlugin = () => ({ applyToStack: () => undefined });`,
  // Only the version is read.
  '@aws-sdk/client-dynamodb/package.json': JSON.stringify({ version: sdk.version }),
};
