import { CfnOutput, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccountRecovery,
  FeaturePlan,
  type IUserPool,
  OAuthScope,
  UserPool,
  UserPoolResourceServer,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { resourceServer, scopes } from '../../lib/scopes.ts';
import { clientIdOutput } from '../config/outputs.ts';
import { scopeDescriptions } from '../config/scopes.ts';
import type { Settings } from '../config/settings.ts';
import { acknowledge } from './acknowledge.ts';

/** Who issues the access tokens: a Cognito user pool with machine clients, which costs nothing while no token is asked for. */
export class PetstoreUserPool extends Construct {
  readonly userPool: IUserPool;
  /** Where tokens are asked for; of a pool that was passed in, as far as it was said. */
  readonly tokenUrl: string | undefined;
  /** The id of a client, by its name in the settings; in a pool that was passed in, ids are all that is known. */
  readonly clientIdOf: (client: string) => string;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { userPoolArn, tokenUrl } = settings;
    if (userPoolArn) {
      // Nothing is created in a pool that was there before.
      this.userPool = UserPool.fromUserPoolArn(this, 'UserPool', userPoolArn);
      this.tokenUrl = tokenUrl;
      this.clientIdOf = id => id;
    } else {
      const created = this.createPool(settings);
      this.userPool = created.pool;
      this.tokenUrl = created.tokenUrl;
      this.clientIdOf = name => created.clientIds.get(name)!;
    }
    const stack = Stack.of(this);
    new CfnOutput(stack, 'UserPoolId', { value: this.userPool.userPoolId });
    if (this.tokenUrl)
      new CfnOutput(stack, 'TokenUrl', {
        value: this.tokenUrl,
        description: 'POST client credentials here for an access token',
      });
  }

  private createPool({ clients, keepsData, tokenLifetime }: Settings) {
    const stack = Stack.of(this);
    const removalPolicy = keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    const pool = new UserPool(this, 'UserPool', {
      featurePlan: FeaturePlan.LITE,
      selfSignUpEnabled: false,
      // The default of the API is true and AWS advises false (CloudFormation reference, UserPool UsernameConfiguration):
      // should there ever be users, two who differ in case only could not be told to become one.
      signInCaseSensitive: false,
      accountRecovery: AccountRecovery.NONE,
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
      'AwsSolutions-COG2': 'The pool has machine clients and no users who could have a second factor.',
      'AwsSolutions-COG8': 'The plus plan guards the sign-in of users, of which there are none, and costs.',
    });

    const scopeObjects = new Map(
      scopes.map(name => [name, { scopeName: name, scopeDescription: scopeDescriptions[name] }]),
    );
    const server = new UserPoolResourceServer(this, 'ResourceServer', {
      userPool: pool,
      identifier: resourceServer,
      scopes: [...scopeObjects.values()],
    });
    server.applyRemovalPolicy(removalPolicy);
    // The prefix is one for all of AWS and may change with nothing that a deployment changes: the stack's own UUID.
    const uuid = Fn.select(2, Fn.split('/', stack.stackId));
    const domain = pool.addDomain('Domain', { cognitoDomain: { domainPrefix: `petstore-${uuid}` } });
    domain.applyRemovalPolicy(removalPolicy);

    const clientIds = new Map<string, string>();
    for (const [name, granted] of Object.entries(clients)) {
      const client = pool.addClient(name, {
        userPoolClientName: name,
        generateSecret: true,
        oAuth: {
          flows: { clientCredentials: true },
          scopes: granted.map(scopeName => OAuthScope.resourceServer(server, scopeObjects.get(scopeName)!)),
        },
        accessTokenValidity: Duration.minutes(tokenLifetime),
        enableTokenRevocation: true,
      });
      client.applyRemovalPolicy(removalPolicy);
      clientIds.set(name, client.userPoolClientId);
      new CfnOutput(stack, clientIdOutput(name), {
        value: client.userPoolClientId,
        description: `Client "${name}"; its secret: aws cognito-idp describe-user-pool-client`,
      });
    }
    const tokenUrl = `${domain.baseUrl()}/oauth2/token`;
    return { pool, tokenUrl, clientIds };
  }
}
