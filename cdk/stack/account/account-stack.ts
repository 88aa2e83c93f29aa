import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import {
  ManagedPolicy,
  OidcProviderNative,
  PolicyStatement,
  Role,
  ServicePrincipal,
  WebIdentityPrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { AccountOptions } from '../../config/account-options.ts';
import { deployedStages } from '../../config/settings.ts';
import { acknowledge } from '../acknowledge.ts';

const issuer = 'token.actions.githubusercontent.com';

/**
 * The environments of the repository that may deploy: what a workflow does without one of them reaches nothing. What is in one
 * reaches every stage of the account, so both admit tags of releases alone (cdk/README.md, "Who may deploy").
 */
const environments = deployedStages.filter(stage => stage !== 'dev');

/** Roles of the CDK's bootstrap that `cdk diff` and `cdk deploy` take; the one that makes resources is handed on to CloudFormation by the first. */
const bootstrapRoles = ['deploy', 'file-publishing', 'lookup'];

/** What there is once in an account (and region), whatever stages it has. */
export class AccountStack extends Stack {
  constructor(scope: Construct, id: string, options: AccountOptions) {
    super(scope, id, { description: 'Petstore: what an account has once for all stages', terminationProtection: true });
    this.addDeployRole(options);
    this.addBudget(options);
    if (!options.keepLogRole) this.addLogRole();
  }

  /** For the workflows: no key is kept anywhere, and all that the role may do is take the roles of the CDK. */
  private addDeployRole({ repository, oidcProviderArn }: AccountOptions) {
    // An account has one provider for an issuer, and others may come to rely on it.
    const provider =
      oidcProviderArn ??
      new OidcProviderNative(this, 'GitHub', {
        url: `https://${issuer}`,
        clientIds: ['sts.amazonaws.com'],
        removalPolicy: RemovalPolicy.RETAIN,
      }).oidcProviderArn;
    const role = new Role(this, 'Deploy', {
      description: `Deploys the petstore from ${repository}`,
      assumedBy: new WebIdentityPrincipal(provider, {
        StringEquals: {
          [`${issuer}:aud`]: 'sts.amazonaws.com',
          [`${issuer}:sub`]: environments.map(name => `repo:${repository}:environment:${name}`),
        },
      }),
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['sts:AssumeRole'],
        resources: bootstrapRoles.map(name => {
          // The qualifier of a bootstrap that nobody has renamed.
          const resourceName = `cdk-hnb659fds-${name}-role-${this.account}-${this.region}`;
          return this.formatArn({ service: 'iam', region: '', resource: 'role', resourceName });
        }),
      }),
    );
    new CfnOutput(this, 'DeployRoleArn', {
      value: role.roleArn,
      description: 'The variable DEPLOY_ROLE of the workflows',
    });
  }

  /**
   * By the tag that every stage's resources have. It counts from when the tag is activated, which is done once, by hand, in the
   * account that pays (cdk/README.md). Without charge, as it takes no action (aws.amazon.com/aws-cost-management/aws-budgets/pricing).
   */
  private addBudget({ email, budget }: AccountOptions) {
    const notify = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
      notification: { notificationType, threshold, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    });
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: budget, unit: 'USD' },
        costFilters: { TagKeyValue: deployedStages.map(stage => `user:petstore:stage$${stage}`) },
      },
      notificationsWithSubscribers: [notify('ACTUAL', 80), notify('FORECASTED', 100)],
    });
  }

  /** What access logs of any API in this region are written with. Stays, because neighbours will use it. */
  private addLogRole() {
    const role = new Role(this, 'GatewayLogs', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs')],
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    acknowledge(role, {
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
        'The policy that API Gateway asks for by name (developer guide, "Permissions for CloudWatch logging").',
    });
    new CfnAccount(this, 'Gateway', { cloudWatchRoleArn: role.roleArn }).applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}
