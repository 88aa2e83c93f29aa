import { text } from 'node:stream/consumers';
import { clientIdOutput } from '../../config/outputs.ts';
import { UsageError } from './command.ts';
import { openStage, type Stage, stageOptions, stageUsage } from './stage.ts';

/** Options of every command that calls the API of a stage. */
export const apiOptions = {
  ...stageOptions,
  url: { type: 'string' },
  client: { type: 'string' },
  secret: { type: 'string' },
  'token-url': { type: 'string' },
} as const;
type ApiOptions = { readonly [Name in keyof typeof apiOptions]?: string | undefined };

const localServer = 'http://127.0.0.1:3000';

/** A client of the settings (cdk/config/settings.ts). */
type DefaultClient = 'staff' | 'verify';

export const apiUsageOf = (client: DefaultClient): string => `${stageUsage} (default)
  --url URL        instead of --stage: the URL of an API whose stack you cannot read
  --client ID      the client that calls it (default: the client "${client}" of the stage)
  --secret SECRET  the client's secret; - reads it from standard input. Other users of a machine can read arguments, so prefer
                   the environment variable PETSTORE_SECRET. With neither, Cognito has it: this needs
                   cognito-idp:DescribeUserPoolClient. Not needed with --local
  --token-url URL  with --url: the token endpoint, if the OpenAPI document does not name it`;
export const apiUsage = apiUsageOf('staff');

/** The API of a stage, and the client that calls it. */
export interface ApiAddress {
  readonly url: string;
  readonly client: string;
  readonly secret: string;
  /** Absent: the OpenAPI document of the API names it. */
  readonly tokenUrl?: string | undefined;
  /** Absent: the options name a URL. */
  readonly opened?: Stage | undefined;
}

/** Whether the options name a server of this machine. */
export const isLocal = ({ stage, url }: ApiOptions): boolean => stage === undefined && url === undefined;

/** The URL of the API, its token endpoint, and the stage, where they are known. @throws {UsageError} */
export const findApi = async (options: ApiOptions) => {
  const { url, 'token-url': tokenUrl, stage, region, profile, local } = options;
  if (url !== undefined) {
    if ([stage, region, profile, local].some(option => option !== undefined))
      throw new UsageError('--url names an API without its stack: leave --stage, --region, --profile and --local out.');
    if (!URL.canParse(url)) throw new UsageError(`--url ${url} is not a URL.`);
    return { url, tokenUrl, opened: undefined };
  }
  if (tokenUrl !== undefined) throw new UsageError('--token-url goes with --url.');
  const named = { stage, region, profile };
  const opened = await openStage(isLocal(options) ? { ...named, local: local ?? localServer } : { ...named, local });
  return { url: opened.output('ApiUrl'), tokenUrl: opened.output('TokenUrl'), opened };
};

/** The URL of the API. A server of this machine need not run. @throws {UsageError} */
export const findUrl = async (options: ApiOptions): Promise<string> =>
  isLocal(options) ? (options.local ?? localServer) : (await findApi(options)).url;

/** @throws when these credentials may not read it */
const readSecret = async ({ output }: Stage, client: string): Promise<string | undefined> => {
  const { CognitoIdentityProviderClient, DescribeUserPoolClientCommand } = await import(
    '@aws-sdk/client-cognito-identity-provider'
  );
  const described = await new CognitoIdentityProviderClient().send(
    new DescribeUserPoolClientCommand({ UserPoolId: output('UserPoolId'), ClientId: client }),
  );
  return described.UserPoolClient?.ClientSecret;
};

/** The secret of a local server is known, so a variable that has the secret of a stage does not replace it. */
const findSecret = async (
  options: ApiOptions,
  input: NodeJS.ReadableStream,
  fromCognito: () => Promise<string | undefined>,
) => {
  if (options.secret === '-') return (await text(input)).trim();
  return options.secret ?? (isLocal(options) ? 'local' : process.env.PETSTORE_SECRET || fromCognito());
};

interface ClientSource {
  /** Standard input. */
  readonly input?: NodeJS.ReadableStream;
  readonly defaultClient?: DefaultClient;
}

/** The API and the client of the options. @throws {UsageError} */
export const findApiAndClient = async (
  options: ApiOptions,
  { input = process.stdin, defaultClient = 'staff' }: ClientSource = {},
): Promise<ApiAddress> => {
  const api = await findApi(options);
  const { opened } = api;
  const fromStage = isLocal(options) ? defaultClient : opened?.outputs[clientIdOutput(defaultClient)];
  const client = options.client ?? fromStage;
  const secret = await findSecret(options, input, async () => opened && client && readSecret(opened, client));
  if (!client || !secret) throw new UsageError('Which client? --client ID, and PETSTORE_SECRET or --secret SECRET');
  return { ...api, client, secret };
};
