import { resourceServer, type Scope, widerScopes } from '../../../lib/scopes.ts';
import { awsClient } from '../../aws/aws-client.ts';
import { trustCaBundle } from '../../aws/network.ts';
import { caller, text, UsageError } from '../../command.ts';
import { clientIdOutput } from '../../config/scopes.ts';
import { jsonOrUndefined } from '../../files/json-or-undefined.ts';
import {
  createPetstore,
  everyItem,
  type Petstore,
  PetstoreError,
  tokenRequest,
} from '../../openapi/petstore-client.ts';
import { type Given, openStage, type Stage, stageOptions, stageUsage } from './stage.ts';

export const apiOptions = { ...stageOptions, url: text, client: text, secret: text };
type ApiOptions = Given<typeof apiOptions>;

const localServer = 'http://127.0.0.1:3000';

/** The clients of the default settings (cdk/config/settings.ts). */
type DefaultClient = 'staff' | 'verify' | 'monitor';

export const apiUsageOf = (client: DefaultClient): string => `${stageUsage} (default)
  --url URL        instead of --stage: the URL of an API whose stack you cannot read
  --client ID      the client that calls it (default: the client "${client}" of the stage)
  --secret SECRET  the client's secret. Other users of a machine can read arguments, so prefer the environment variable
                   PETSTORE_SECRET. With neither, Cognito has it (cognito-idp:DescribeUserPoolClient)`;
export const apiUsage = apiUsageOf('staff');

export const isLocal = ({ stage, url }: ApiOptions): boolean =>
  stage === undefined && url === undefined;

const findStage = async ({ url, stage, region, local }: ApiOptions): Promise<Stage | undefined> => {
  if (url === undefined)
    return openStage(
      stage === undefined ? { local: local ?? localServer } : { stage, region, local },
    );
  if (stage !== undefined || local !== undefined)
    throw new UsageError('Either --url, or --stage or --local.');
  if (!URL.canParse(url)) throw new UsageError(`--url ${url} is not a URL.`);
  return undefined;
};

/** @throws when the credentials do not allow it */
const readSecret = async ({ output }: Stage, client: string): Promise<string | undefined> => {
  const { CognitoIdentityProviderClient, DescribeUserPoolClientCommand } = await import(
    '@aws-sdk/client-cognito-identity-provider'
  );
  const described = await awsClient(CognitoIdentityProviderClient).send(
    new DescribeUserPoolClientCommand({ UserPoolId: output('UserPoolId'), ClientId: client }),
  );
  return described.UserPoolClient?.ClientSecret;
};

/**
 * PETSTORE_SECRET is for deployed stages: the secret of a local server is `local`. Without `tokenUrl`, the API's document names it.
 * @throws {UsageError}
 */
export const findApi = async (options: ApiOptions, defaultClient: DefaultClient = 'staff') => {
  const stage = await findStage(options);
  const client =
    options.client ??
    (isLocal(options) ? defaultClient : stage?.outputs[clientIdOutput(defaultClient)]);
  const known =
    options.secret ?? (isLocal(options) ? 'local' : caller().environment.PETSTORE_SECRET);
  const secret = known || (stage && client && (await readSecret(stage, client)));
  if (!client || !secret)
    throw new UsageError('Which client? --client ID, and PETSTORE_SECRET or --secret SECRET');
  const url = (options.url ?? stage!.output('ApiUrl')).replace(/\/+$/, '');
  return { url, client, secret, tokenUrl: stage?.outputs.TokenUrl };
};

const timeout = 35_000; // milliseconds, if the client sets no timeout; API Gateway responds within 29 seconds

const reach = (
  request: Request,
  init: RequestInit = { signal: AbortSignal.timeout(timeout) },
): Promise<Response> => {
  if (request.url.startsWith('https:')) trustCaBundle();
  return fetch(request, init).catch(cause => {
    throw new Error(`No response from ${request.url}.`, { cause });
  });
};

/** @throws when nothing responds, or the OpenAPI document has no token endpoint */
export const findTokenUrl = async (url: string): Promise<string> => {
  const response = await reach(new Request(`${url}/openapi.json`));
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  const document: any = await response.json().catch(() => undefined);
  const tokenUrl =
    document?.components?.securitySchemes?.oauth2?.flows?.clientCredentials?.tokenUrl;
  const found = tokenUrl && URL.parse(tokenUrl, `${url}/`);
  // A stage without a token endpoint serves the committed document, whose token endpoint is on example.com.
  if (found && !found.hostname.endsWith('.example.com')) return found.href;
  throw new Error(`${url}/openapi.json has no token endpoint. Set tokenUrl for the stage.`);
};

const attempts = 30; // so that an import survives the throttling of a stage, or an outage of two minutes

type ApiAddress = Readonly<{
  url: string;
  client: string;
  secret: string;
  tokenUrl?: string | undefined;
}>;

/** The scopes of a token of this project, or undefined if it has no readable claims. */
const scopesOf = async (response: Response): Promise<readonly string[] | undefined> => {
  const { access_token: token = '' } = Object(await response.json().catch(() => null));
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return jsonOrUndefined(claims)?.scope?.split(' ');
};

/** @param needs the scopes of what the command does @throws when nothing responds, or the client lacks a scope */
export const openPetstore = async (
  { url, client, secret, tokenUrl: known }: ApiAddress,
  needs: readonly Scope[] = [],
): Promise<Petstore> => {
  const tokenUrl = known ?? (await findTokenUrl(url));
  const credentials = { tokenUrl, clientId: client, clientSecret: secret };
  // Without a response, the URL is wrong, and a retry would not help.
  const first = await reach(tokenRequest(credentials));
  const granted = await scopesOf(first.clone());
  const missing = needs.filter(
    need =>
      !widerScopes(need)
        .concat(need)
        .some(name => granted?.includes(`${resourceServer}/${name}`)),
  );
  if (granted && missing.length > 0)
    throw new UsageError(
      `The client "${client}" lacks the scope ${missing.join(' and ')}. Name another with --client.`,
    );
  const unused = [first];
  return createPetstore({
    baseUrl: url,
    credentials,
    attempts,
    fetch: async (request, init) =>
      (request.url === tokenUrl && unused.pop()) || reach(request, init),
  });
};

/** Adds the request's name to the API's error message. @throws {Error} */
export const explain = <T>(what: string, data: Promise<T>): Promise<T> =>
  data.catch(error => {
    if (!(error instanceof PetstoreError)) throw error;
    throw new Error(`${what}: ${error.status} ${error.message}`, { cause: error });
  });

/** @param turn waits before each request, so that a command leaves others their share of the rate @throws {Error} */
export const listAll = <Item>(
  petstore: Petstore,
  path: '/pets' | '/pets/categories' | '/store/inventory' | '/store/orders',
  query: object,
  turn: (() => Promise<unknown>) | undefined,
): Promise<Item[]> => {
  const page = async (cursor?: string) => {
    await turn?.();
    const params = { query: { limit: 100, ...query, cursor } };
    const { response, ...result } = await petstore.GET(path as '/pets', { params });
    return { response, ...(result as object as { data: Item[] }) };
  };
  return explain(`GET ${path}`, Array.fromAsync(everyItem(page)));
};
