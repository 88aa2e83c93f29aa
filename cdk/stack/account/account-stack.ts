import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { readAccountOptions } from '../../config/account-options.ts';
import { functions, mappings, operatorPermissions, userPools } from '../../config/operator-permissions.ts';
import { acknowledge } from '../acknowledge.ts';
import { addOutputs } from '../outputs.ts';

const issuer = 'token.actions.githubusercontent.com';

/** The bootstrap roles that `cdk diff` and `cdk deploy` assume. CloudFormation gets a fourth role from the deploy role. */
const bootstrapRoles = ['deploy', 'file-publishing', 'lookup'];

/**
 * For resources that other stacks may use. These resources stay when this stack is deleted. If the deployment that creates one
 * fails, CloudFormation deletes it, so that the next deployment can create it (CloudFormation user guide, "DeletionPolicy
 * attribute": RetainExceptOnCreate).
 */
const shared = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

/** The resources that an account (and region) has once, for all its stages. */
export class AccountStack extends Stack {
  private readonly stages: readonly string[];

  /**
   * @param stages the names of the stages in the account
   * @throws if options of the command line are missing or invalid
   */
  constructor(scope: Construct, id: string, stages: readonly string[]) {
    super(scope, id, { description: 'Petstore: what an account has once for all stages', terminationProtection: true });
    this.stages = stages;
    const options = readAccountOptions(name => this.node.tryGetContext(name));
    if (options.repository) this.addRolesOfWorkflows(options.repository, options.oidcProviderArn);
    this.addOperatorRole();
    const { email, budget } = options;
    if (email !== undefined && budget !== undefined) this.addBudget(email, budget);
    if (options.logRole === 'create') this.addLogRole();
  }

  /**
   * Adds the roles that workflows assume without stored credentials. Jobs in an environment with the name of a stage, except
   * `dev`, can assume the role of deployments, which can only assume three roles of the CDK bootstrap. Each such job reaches
   * every stage of the account, so limit each environment to tags of releases (cdk/README.md, "Deploy from GitHub"). The role of
   * the workflow `monitor` reads how many subscriptions the topic of the alarms has.
   */
  private addRolesOfWorkflows(repository: string, oidcProviderArn: string | undefined) {
    // An account has one provider per issuer, which other stacks may use as well.
    const provider =
      oidcProviderArn ??
      new iam.OidcProviderNative(this, 'GitHub', {
        url: `https://${issuer}`,
        clientIds: ['sts.amazonaws.com'],
        removalPolicy: shared,
      }).oidcProviderArn;
    // The subject of a job with an environment (docs.github.com/en/actions/reference/security/oidc).
    const assumedBy = (environments: readonly string[]) =>
      new iam.WebIdentityPrincipal(provider, {
        StringEquals: { [`${issuer}:aud`]: 'sts.amazonaws.com' },
        StringLike: { [`${issuer}:sub`]: environments.map(name => `repo:${repository}:environment:${name}`) },
      });
    const description = `Deploys the petstore from ${repository}`;
    const released = this.stages.filter(stage => stage !== 'dev');
    const role = new iam.Role(this, 'Deploy', { description, assumedBy: assumedBy(released) });
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['sts:AssumeRole'],
        resources: bootstrapRoles.map(name => {
          const qualifier = this.synthesizer.bootstrapQualifier;
          const resourceName = `cdk-${qualifier}-${name}-role-${this.account}-${this.region}`;
          return this.formatArn({ service: 'iam', region: '', resource: 'role', resourceName });
        }),
      }),
    );
    addOutputs(this, { DeployRoleArn: [role.roleArn, 'The variable DEPLOY_ROLE of the workflows'] });
    const monitor = new iam.Role(this, 'Monitor', { assumedBy: assumedBy(['monitor']) });
    const topics = this.formatArn({ service: 'sns', resource: 'petstore-*' });
    monitor.addToPolicy(new iam.PolicyStatement({ actions: ['sns:GetTopicAttributes'], resources: [topics] }));
    acknowledge(monitor, {
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:petstore-*]':
        'The topics of every stage: CloudFormation chooses the rest of their names.',
    });
    addOutputs(this, { MonitorRoleArn: [monitor.roleArn, 'The variable MONITOR_ROLE of the environment monitor'] });
  }

  /** Adds the role of operators of the stages (operator-permissions.ts). IAM policies of the account decide who may assume it. */
  private addOperatorRole() {
    const role = new iam.Role(this, 'Operator', {
      description: 'Operates the stages of the petstore: the permissions of its commands (cdk/RUNBOOK.md)',
      assumedBy: new iam.AccountPrincipal(this.account),
      maxSessionDuration: Duration.hours(4),
    });
    const arnIn = (partition: string, region: string, account: string) => (resource: string) =>
      resource === '*' ? '*' : `arn:${partition}:${resource.replace('::', `:${region}:${account}:`)}`;
    const arn = arnIn(this.partition, this.region, this.account);
    const arnInFindings = arnIn('<AWS::Partition>', '<AWS::Region>', '<AWS::AccountId>');
    const conditions: Readonly<Record<string, object>> = {
      [userPools]: { StringEquals: { 'aws:ResourceTag/petstore:stage': this.stages } },
      [mappings]: { ArnLike: { 'lambda:FunctionArn': arn(functions) } },
    };
    for (const [pattern, actions] of Object.entries(operatorPermissions)) {
      const resources = [...new Set(this.stages.map(stage => pattern.replace('<stage>', stage)))];
      const { [pattern]: condition = {} } = conditions;
      role.addToPolicy(new iam.PolicyStatement({ actions, resources: resources.map(arn), conditions: condition }));
      for (const resource of resources)
        acknowledge(role, {
          [`AwsSolutions-IAM5[Resource::${arnInFindings(resource)}]`]:
            'The resources of every stage: CloudFormation or the runbook chooses the rest of their names.',
        });
    }
    addOutputs(this, { OperatorRoleArn: [role.roleArn, 'The role of operators'] });
  }

  /**
   * Adds a budget of the costs that are tagged with any of the stages, from the day when somebody activates the tag in the
   * account that pays (cdk/README.md). The budget omits resources that cannot be tagged. A budget without an action is free
   * (aws.amazon.com/aws-cost-management/aws-budgets/pricing). A budget covers all regions, so add it in only one. Choose a region
   * with the resource type AWS::Budgets::Budget; some lack it.
   */
  private addBudget(email: string, budget: number) {
    const notify = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
      notification: { notificationType, threshold, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    });
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: budget, unit: 'USD' },
        costFilters: { TagKeyValue: this.stages.map(stage => `user:petstore:stage$${stage}`) },
      },
      notificationsWithSubscribers: [notify('ACTUAL', 80), notify('FORECASTED', 100)],
    });
  }

  /** Adds the role for the access logs of all APIs in this region. The role stays, because other stacks may use it. */
  private addLogRole() {
    const policy = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';
    const role = new iam.Role(this, 'GatewayLogs', {
      assumedBy: new iam.ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [iam.ManagedPolicy.fromAwsManagedPolicyName(policy)],
    });
    role.applyRemovalPolicy(shared);
    acknowledge(role, {
      [`AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`]:
        'The policy that API Gateway asks for by name (developer guide, "Permissions for CloudWatch logging").',
    });
    new CfnAccount(this, 'Gateway', { cloudWatchRoleArn: role.roleArn }).applyRemovalPolicy(shared);
  }
}
