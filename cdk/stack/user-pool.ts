import { Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as cognito from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { resourceServer, scopes } from '../../lib/scopes.ts';
import { clientIdOutput, descriptionOf, grantedScopes } from '../config/scopes.ts';
import type { Settings } from '../config/settings.ts';
import { acknowledge } from './acknowledge.ts';
import { addOutputs } from './outputs.ts';

const createPool = (scope: Construct, { clients, keepsData, tokenLifetime }: Settings) => {
  const removalPolicy = keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
  const pool = new cognito.UserPool(scope, 'UserPool', {
    featurePlan: cognito.FeaturePlan.LITE,
    selfSignUpEnabled: false,
    // AWS recommends false, although the API's default is true. The value cannot be changed later (CloudFormation reference,
    // UserPool UsernameConfiguration).
    signInCaseSensitive: false,
    accountRecovery: cognito.AccountRecovery.NONE,
    passwordPolicy: {
      minLength: 16,
      requireDigits: true,
      requireLowercase: true,
      requireUppercase: true,
      requireSymbols: true,
      tempPasswordValidity: Duration.days(1),
    },
    deletionProtection: keepsData,
    removalPolicy,
  });

  acknowledge(pool, {
    'AwsSolutions-COG2': 'The pool has machine clients and no users, so there is no second factor.',
    'AwsSolutions-COG8':
      'The Plus plan protects the sign-in of users, which the pool does not have, and has a price.',
  });

  const scopeObjects = new Map(
    scopes.map(name => [name, { scopeName: name, scopeDescription: descriptionOf(name) }]),
  );
  const server = new cognito.UserPoolResourceServer(scope, 'ResourceServer', {
    userPool: pool,
    identifier: resourceServer,
    scopes: [...scopeObjects.values()],
  });
  server.applyRemovalPolicy(removalPolicy);
  // The prefix must be unique in all of AWS and must never change, so it is the UUID of the stack, without the project's name: AWS
  // refuses the words aws, amazon and cognito in it, only while it deploys (aws-solutions/content-analysis-on-aws#8).
  const uuid = Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
  const domain = pool.addDomain('Domain', { cognitoDomain: { domainPrefix: uuid } });
  domain.applyRemovalPolicy(removalPolicy);

  const clientIds = new Map<string, string>();
  for (const [name, granted] of Object.entries(clients)) {
    const client = pool.addClient(name, {
      userPoolClientName: name,
      generateSecret: true,
      oAuth: {
        flows: { clientCredentials: true },
        scopes: grantedScopes(granted).map(scopeName =>
          cognito.OAuthScope.resourceServer(server, scopeObjects.get(scopeName)!),
        ),
      },
      accessTokenValidity: Duration.minutes(tokenLifetime),
      enableTokenRevocation: true,
    });
    client.applyRemovalPolicy(removalPolicy);
    clientIds.set(name, client.userPoolClientId);
    const description = `Client "${name}"; its secret: aws cognito-idp describe-user-pool-client`;
    addOutputs(scope, { [clientIdOutput(name)]: [client.userPoolClientId, description] });
  }
  const tokenUrl = `${domain.baseUrl()}/oauth2/token`;
  return { userPool: pool, tokenUrl, clientIdOf: (name: string) => clientIds.get(name)! };
};

/**
 * A user pool with machine clients costs nothing while it issues no tokens.
 * @returns also `clientIdOf`, which takes a name in the settings: for an existing pool (`userPoolArn`), a client's name is its id
 */
export const addUserPool = (stack: Construct, settings: Settings) => {
  const scope = new Construct(stack, 'Auth');
  const { userPoolArn, tokenUrl } = settings;
  // The stack creates nothing in a borrowed pool.
  const borrowed = userPoolArn && cognito.UserPool.fromUserPoolArn(scope, 'UserPool', userPoolArn);
  const added = borrowed
    ? { userPool: borrowed, tokenUrl, clientIdOf: String }
    : createPool(scope, settings);
  addOutputs(scope, {
    UserPoolId: [added.userPool.userPoolId],
    ...(added.tokenUrl && {
      TokenUrl: [added.tokenUrl, 'POST client credentials here for an access token'],
    }),
  });
  return added;
};
