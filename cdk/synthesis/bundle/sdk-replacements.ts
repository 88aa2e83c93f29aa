import sdk from '@aws-sdk/client-dynamodb/package.json' with { type: 'json' };
import { trimErrors } from './sdk-errors.ts';

const givenEndpoint = `
    export const defaultEndpointResolver = ({ Endpoint }) => ({ url: new URL(Endpoint) });`;

/** The new content of a module, or a function of the old one. */
export type Replacement = string | ((source: string) => string);

/**
 * Replacements of SDK modules that this project does not need, by path. Requests do not change, except for the headers in
 * test/synthesis/wire.test.ts.
 */
export const replacements: { readonly [path: string]: Replacement } = {
  // In Lambda the credentials are in the environment, so the provider chain (SSO, STS, ini files, metadata) is not needed.
  '@aws-sdk/credential-provider-node/dist-es/index.js': `
    export const defaultProvider = () => async () => ({
      accessKeyId: process.env.AWS_ACCESS_KEY_ID,
      secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
      sessionToken: process.env.AWS_SESSION_TOKEN,
    });`,
  // The endpoints are in the environment, so neither endpoint rules nor endpoint discovery are needed.
  '@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver.js': givenEndpoint,
  '@aws-sdk/client-eventbridge/dist-es/endpoint/endpointResolver.js': givenEndpoint,
  '@aws-sdk/client-secrets-manager/dist-es/endpoint/endpointResolver.js': givenEndpoint,
  '@aws-sdk/client-sqs/dist-es/endpoint/endpointResolver.js': givenEndpoint,
  '@aws-sdk/core/dist-es/submodules/client/util-endpoints/aws.js': 'export const awsEndpointFunctions = undefined;',
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
  // Configuration comes from code and environment. A function has no ini files.
  '@smithy/core/dist-es/submodules/config/node-config-provider/configLoader.js': `
    export const loadConfig = ({ environmentVariableSelector, default: fallback }) => async () =>
      environmentVariableSelector(process.env) ?? (typeof fallback === 'function' ? fallback() : fallback);`,
  // The client sets its defaults mode. Only the mode 'auto' requests the region from the instance metadata.
  '@smithy/core/dist-es/submodules/config/defaults-mode/resolveDefaultsModeConfig.js': `
    export const resolveDefaultsModeConfig = ({ defaultsMode }) => async () => defaultsMode;`,
  '@smithy/core/dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js':
    'export const getInstanceMetadataRegion = undefined;',
  // Removes the errors of calls that no function makes.
  '@aws-sdk/client-dynamodb/dist-es/schemas/schemas_0.js': trimErrors,
  // DynamoDB has no event streams.
  '@smithy/signature-v4/dist-es/HeaderFormatter.js': 'export class HeaderFormatter {}',
  '@smithy/core/dist-es/submodules/event-streams/index.js': `
    export const EventStreamSerde = undefined, eventStreamSerdeProvider = undefined;`,
  // Node has SHA-256.
  '@smithy/core/dist-es/submodules/checksum/sha256/Sha256Js.js': 'export const Sha256Js = undefined;',
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
  // The SDK's user agent lists the used SDK features. The clients send their own name.
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
  // Bodies are strings or bytes, never files.
  '@smithy/core/dist-es/submodules/serde/util-body-length/calculateBodyLength.js': `
    export const calculateBodyLength = body => Buffer.byteLength(body);`,
  // The clients have no logger.
  '@aws-sdk/core/dist-es/submodules/client/middleware-logger/loggerMiddleware.js': `
    export const loggerMiddleware = undefined, loggerMiddlewareOptions = undefined;
    export const getLoggerPlugin = () => ({ applyToStack: () => undefined });`,
  // Only the version is read.
  '@aws-sdk/client-dynamodb/package.json': JSON.stringify({ version: sdk.version }),
};
