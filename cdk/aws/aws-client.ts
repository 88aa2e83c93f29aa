import http from 'node:http';
import https from 'node:https';
import { defaultProvider } from '@aws-sdk/credential-provider-node';

interface Options {
  readonly endpoint?: string;
  readonly region?: string;
  readonly maxAttempts?: number;
}

/** Of local servers and engines, which accept any. */
export const localRegion = 'us-east-1';
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const local = { region: localRegion, credentials: localCredentials };

let localEndpoints: Readonly<Record<string, string | undefined>> = {};
/** From now on, clients of these names call a local server. */
export const useLocalEndpoints = (endpoints: typeof localEndpoints): void => {
  localEndpoints = endpoints;
};

/** For a known endpoint, which the SDK rejects with FIPS or dual stack, whatever the environment and ~/.aws/config say. */
const fixed = {
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
  defaultsMode: 'standard',
  retryMode: 'standard',
  maxAttempts: 3,
};

/** The SDK's agents know no proxy, and its client of IAM Identity Center does not inherit a request handler. */
const throughProxy = () => {
  const requestHandler = { httpAgent: http.globalAgent, httpsAgent: https.globalAgent };
  return { requestHandler, credentials: defaultProvider({ clientConfig: { requestHandler } }) };
};

/** Names the call in its error: `(DescribeStacks at cloudformation.eu-west-1.amazonaws.com)`. */
const nameCall = (error: Error, { commandName, endpointV2 }: CallContext): never => {
  // The SDK only says which character it did not expect.
  const isForeign = /Deserialization error|^UnknownError$/.test(error.message);
  const message = isForeign ? 'This is not a response of AWS.' : error.message;
  const host = endpointV2 ? ` at ${endpointV2.url.host}` : '';
  error.message = `${message || error.name} (${commandName?.replace(/Command$/, '')}${host})`;
  throw error;
};
interface CallContext {
  readonly commandName?: string;
  readonly endpointV2?: { readonly url: URL };
}

type Call = (args: object) => Promise<object>;
interface WithMiddleware {
  readonly middlewareStack: {
    readonly add: (middleware: (next: Call, context: CallContext) => Call, at: object) => void;
  };
}

/** Every SDK client of commands and of the local server. Endpoints with http are local. */
export const awsClient = <Client extends object>(
  Kind: new (options: never) => Client,
  options: Options = {},
): Client => {
  const endpoint = options.endpoint ?? localEndpoints[Kind.name];
  const own = endpoint?.startsWith('http:') ? local : throughProxy();
  // With an account's endpoint, DynamoDB would be at a host that a proxy may not allow.
  const all = {
    accountIdEndpointMode: 'disabled',
    ...own,
    ...(endpoint && { ...fixed, endpoint }),
    ...options,
  };
  const client = new (Kind as new (options: object) => Client)(all);
  const { middlewareStack } = client as Client & WithMiddleware;
  middlewareStack.add(
    (next, context) => args => next(args).catch(error => nameCall(error, context)),
    {
      step: 'initialize',
    },
  );
  return client;
};
