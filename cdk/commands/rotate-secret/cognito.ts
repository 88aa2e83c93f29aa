import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * The calls to Cognito, by the AWS CLI, which whoever operates a stage has: its SDK would be ten megabytes in everybody's
 * node_modules for five calls. A client can have two secrets, either of which is good for a token (API reference,
 * AddUserPoolClientSecret: "zero-downtime credential rotation workflows").
 */

export interface Secret {
  readonly ClientSecretId: string;
  /** Seconds since the epoch, or a date: the CLI has both forms. */
  readonly ClientSecretCreateDate: number | string;
  /** Of one that was just made, and never again. */
  readonly ClientSecretValue?: string;
}

export interface Client {
  readonly pool: string;
  readonly id: string;
}

/** @throws saying what the CLI said, or that there is none */
export type Cognito = (call: string, ...parameters: string[]) => Promise<Record<string, unknown>>;

const oldCli = /Invalid choice|invalid choice|Found invalid choice/;

export const cognitoIn =
  (region: string | undefined): Cognito =>
  async (call, ...parameters) => {
    const place = region ? ['--region', region] : [];
    try {
      const { stdout } = await promisify(execFile)('aws', [
        ...['cognito-idp', call, ...parameters, '--output', 'json', '--no-cli-pager'],
        ...place,
      ]);
      return stdout.trim() === '' ? {} : JSON.parse(stdout);
    } catch (error) {
      const { code, stderr = '', message } = error as Error & { code?: string | number; stderr?: string };
      if (code === 'ENOENT')
        throw new Error('There is no AWS CLI here (aws). Install version 2: docs.aws.amazon.com/cli');
      if (oldCli.test(stderr)) throw new Error(`This AWS CLI does not know ${call}, which is of 2026: update it.`);
      throw new Error(stderr.trim() || message);
    }
  };

const named = ({ pool, id }: Client) => ['--user-pool-id', pool, '--client-id', id];

/** Every pool there; the CLI does not turn pages by itself once it is told their size, which the call demands. */
const allPools = async (cognito: Cognito): Promise<string[]> => {
  const ids: string[] = [];
  let token: string | undefined;
  do {
    const page = token === undefined ? [] : ['--next-token', token];
    const { UserPools, NextToken } = (await cognito('list-user-pools', '--max-results', '60', ...page)) as {
      UserPools: { Id: string }[];
      NextToken?: string;
    };
    ids.push(...UserPools.map(({ Id }) => Id));
    token = NextToken;
  } while (token);
  return ids;
};

/**
 * The pool of a stage, by the tag that the stack gives all that it makes.
 * @throws when there is none or more than one, saying what to do: a pool outlives its stack
 */
export const findPool = async (cognito: Cognito, stage: string): Promise<string> => {
  const found: string[] = [];
  for (const id of await allPools(cognito)) {
    const { UserPool } = (await cognito('describe-user-pool', '--user-pool-id', id)) as {
      UserPool: { UserPoolTags?: Record<string, string> };
    };
    if (UserPool.UserPoolTags?.['petstore:stage'] === stage) found.push(id);
  }
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  throw new Error(
    only
      ? `Several user pools have the tag petstore:stage=${stage}. The stack’s output UserPoolId says which. Name one: --pool ${found.join(' or ')}`
      : `No user pool there has the tag petstore:stage=${stage}. Name it: --pool ID (the stack’s output UserPoolId)`,
  );
};

export const findClient = async (cognito: Cognito, pool: string, name: string): Promise<Client> => {
  const { UserPoolClients } = (await cognito('list-user-pool-clients', '--user-pool-id', pool)) as {
    UserPoolClients: { ClientId: string; ClientName: string }[];
  };
  const found = UserPoolClients.filter(({ ClientName }) => ClientName === name);
  if (found.length === 1) return { pool, id: found[0]!.ClientId };
  const names = UserPoolClients.map(({ ClientName }) => ClientName).join(', ');
  throw new Error(
    found.length > 1
      ? `Several clients of ${pool} are called "${name}". Name one: --client-id ${found.map(({ ClientId }) => ClientId).join(' or ')}`
      : `The pool ${pool} has no client "${name}"; it has ${names}`,
  );
};

/** Oldest first. */
export const secretsOf = async (cognito: Cognito, client: Client): Promise<Secret[]> => {
  const { ClientSecrets } = (await cognito('list-user-pool-client-secrets', ...named(client))) as {
    ClientSecrets: Secret[];
  };
  const time = ({ ClientSecretCreateDate: date }: Secret) =>
    typeof date === 'number' ? date * 1000 : new Date(date).getTime();
  return ClientSecrets.sort((a, b) => time(a) - time(b));
};

export const addSecret = async (cognito: Cognito, client: Client): Promise<string> => {
  const { ClientSecretDescriptor } = (await cognito('add-user-pool-client-secret', ...named(client))) as {
    ClientSecretDescriptor: Secret;
  };
  return ClientSecretDescriptor.ClientSecretValue!;
};

export const deleteSecret = async (cognito: Cognito, client: Client, secret: Secret): Promise<void> => {
  await cognito('delete-user-pool-client-secret', ...named(client), '--client-secret-id', secret.ClientSecretId);
};
