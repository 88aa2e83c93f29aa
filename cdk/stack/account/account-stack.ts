import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { ComparisonOperator, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as iam from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { readAccountOptions } from '../../config/account-options.ts';
import {
  functions,
  mappings,
  onAdopted,
  operatorPermissions,
  pauseTag,
  userPools,
} from '../../config/operator-permissions.ts';
import { prices } from '../../config/prices.ts';
import type { Stages } from '../../config/settings.ts';
import { acknowledge } from '../acknowledge.ts';
import { addTopic } from '../alarms.ts';
import { addOutputs } from '../outputs.ts';

const issuer = 'token.actions.githubusercontent.com';

/** `cdk diff` and `cdk deploy` assume these bootstrap roles. CloudFormation gets a fourth from the deploy role. */
const bootstrapRoles = ['deploy', 'file-publishing', 'lookup'];

/**
 * Other stacks may use these resources, so they stay when this stack is deleted. If their creation fails, CloudFormation deletes
 * them, so the next deployment can create them (CloudFormation user guide, "DeletionPolicy attribute": RetainExceptOnCreate).
 */
const shared = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

/** What all stages of an account (and region) share. */
export class AccountStack extends Stack {
  private readonly stages: readonly string[];

  /** A condition on event source mappings. */
  private get ofOwnFunctions() {
    const functions = this.formatArn({ service: 'lambda', resource: 'function:petstore-*' });
    return { ArnLike: { 'lambda:FunctionArn': functions } };
  }

  /** @throws if options of the command line are missing or invalid */
  constructor(scope: Construct, id: string, stages: Stages) {
    super(scope, id, {
      description: 'Petstore: what an account has once for all stages',
      terminationProtection: true,
    });
    this.stages = Object.keys(stages);
    const options = readAccountOptions(name => this.node.tryGetContext(name));
    if (options.repository) this.addRolesOfWorkflows(options.repository, options.oidcProviderArn);
    const adopted = Object.values(stages).flatMap(({ adoptedTable }) => adoptedTable?.arn ?? []);
    this.addOperatorRole(adopted);
    const { email, budget, tokens } = options;
    if (email !== undefined && budget !== undefined) this.addBudget(email, budget);
    if (email !== undefined) this.addTokenAlarm(email, tokens);
    if (options.logRole === 'create') this.addLogRole();
  }

  /**
   * Workflows assume these roles without stored credentials. GitHub creates an unknown environment without limits, and whoever can
   * push a branch can write its workflows. So only stage.yml of a tag `v…`, in the environment of a stage other than `dev`, can
   * assume the role of deployments. This role can only assume three bootstrap roles, but reaches every stage of the account. The
   * workflow `monitor` counts the subscriptions of the topic of the alarms, and looks for stops that no alarm reports.
   */
  private addRolesOfWorkflows(repository: string, oidcProviderArn: string | undefined) {
    // An account has one provider per issuer, which other stacks may use, too.
    const provider =
      oidcProviderArn ??
      new iam.OidcProviderNative(this, 'GitHub', {
        url: `https://${issuer}`,
        clientIds: ['sts.amazonaws.com'],
        removalPolicy: shared,
      }).oidcProviderArn;
    // STS checks these claims of GitHub's tokens (AWS What's New, 2026-01, "AWS STS supports validation of identity provider
    // claims"). The subject is that of a job with an environment (docs.github.com/en/actions/reference/security/oidc).
    const assumedBy = (
      environments: readonly string[],
      claims: Readonly<Record<string, string | string[]>>,
    ) =>
      new iam.WebIdentityPrincipal(provider, {
        StringEquals: { [`${issuer}:aud`]: 'sts.amazonaws.com' },
        StringLike: {
          [`${issuer}:sub`]: environments.map(name => `repo:${repository}:environment:${name}`),
          ...claims,
        },
      });
    const tags = 'refs/tags/v*';
    // The reusable workflow of the job, in a repository without ids, at the tag: a branch could call that of a tag.
    const workflow = `${repository.replace(/@\d+/g, '')}/.github/workflows/stage.yml@${tags}`;
    const description = `Deploys the petstore from ${repository}`;
    const released = this.stages.filter(stage => stage !== 'dev');
    const ofRelease = { [`${issuer}:ref`]: tags, [`${issuer}:job_workflow_ref`]: workflow };
    const role = new iam.Role(this, 'Deploy', {
      description,
      assumedBy: assumedBy(released, ofRelease),
    });
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
    addOutputs(this, {
      DeployRoleArn: [role.roleArn, 'The variable DEPLOY_ROLE of the workflows'],
    });
    const ofMonitor = { [`${issuer}:ref`]: ['refs/heads/main', tags] };
    const monitor = new iam.Role(this, 'Monitor', { assumedBy: assumedBy(['monitor'], ofMonitor) });
    const allow = (action: string, resource: string, conditions = {}) =>
      monitor.addToPolicy(
        new iam.PolicyStatement({ actions: [action], resources: [resource], conditions }),
      );
    const own = (service: string, resource: string) => this.formatArn({ service, resource });
    allow('sns:GetTopicAttributes', own('sns', 'petstore-*'));
    const mapping = own('lambda', 'event-source-mapping:*');
    allow('lambda:GetEventSourceMapping', mapping, this.ofOwnFunctions);
    allow('cloudwatch:GetMetricData', '*');
    // It has the role for logs (Service Authorization Reference, "Amazon API Gateway Management").
    const account = { service: 'apigateway', account: '', resource: '/account' };
    allow('apigateway:GET', this.formatArn(account));
    const prefix = 'AwsSolutions-IAM5[Resource::';
    acknowledge(monitor, {
      [`${prefix}arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:petstore-*]`]:
        'The topics of every stage: CloudFormation chooses the rest of their names.',
      [`${prefix}arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:event-source-mapping:*]`]:
        'Mappings have random ids. A condition restricts them to the functions of the stages.',
      [`${prefix}*]`]: 'GetMetricData takes no resource (Service Authorization Reference).',
    });
    addOutputs(this, {
      MonitorRoleArn: [monitor.roleArn, 'The variable MONITOR_ROLE of the environment monitor'],
    });
  }

  /** IAM policies of the account decide who may assume this role (its permissions: operator-permissions.ts). */
  private addOperatorRole(adoptedTables: readonly string[]) {
    const role = new iam.Role(this, 'Operator', {
      description:
        'Operates the stages of the petstore: the permissions of its commands (cdk/RUNBOOK.md)',
      assumedBy: new iam.AccountPrincipal(this.account),
      maxSessionDuration: Duration.hours(4),
    });
    const arnIn = (partition: string, region: string, account: string) => (resource: string) =>
      resource === '*'
        ? '*'
        : `arn:${partition}:${resource.replace('::', `:${region}:${account}:`)}`;
    const arn = arnIn(this.partition, this.region, this.account);
    const arnInFindings = arnIn('<AWS::Partition>', '<AWS::Region>', '<AWS::AccountId>');
    const conditions: Readonly<Record<string, object>> = {
      [userPools]: { StringEquals: { 'aws:ResourceTag/petstore-stage': this.stages } },
      [mappings]: this.ofOwnFunctions,
      // A call without tags fulfills it.
      [functions]: { 'ForAllValues:StringEquals': { 'aws:TagKeys': [pauseTag] } },
    };
    for (const [pattern, actions] of Object.entries(operatorPermissions)) {
      const resources = [...new Set(this.stages.map(stage => pattern.replace('<stage>', stage)))];
      const { [pattern]: condition = {} } = conditions;
      role.addToPolicy(
        new iam.PolicyStatement({ actions, resources: resources.map(arn), conditions: condition }),
      );
      for (const resource of resources)
        acknowledge(role, {
          [`AwsSolutions-IAM5[Resource::${arnInFindings(resource)}]`]:
            'The resources of every stage: CloudFormation or the runbook chooses the rest of their names.',
        });
    }
    const denied = { effect: iam.Effect.DENY, actions: onAdopted, resources: [...adoptedTables] };
    if (adoptedTables.length > 0) role.addToPolicy(new iam.PolicyStatement(denied));
    addOutputs(this, { OperatorRoleArn: [role.roleArn, 'The role of operators'] });
  }

  /**
   * The costs that are tagged with any of the stages, from the day when somebody activates the tag in the account that pays
   * (cdk/README.md); some resources cannot be tagged. Without an action, a budget is free
   * (aws.amazon.com/aws-cost-management/aws-budgets/pricing). It covers all regions, so add it in only one, which must have the
   * resource type AWS::Budgets::Budget.
   */
  private addBudget(email: string, budget: number) {
    const notify = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
      notification: {
        notificationType,
        threshold,
        thresholdType: 'PERCENTAGE',
        comparisonOperator: 'GREATER_THAN',
      },
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    });
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: budget, unit: 'USD' },
        costFilters: { TagKeyValue: this.stages.map(stage => `user:petstore-stage$${stage}`) },
      },
      notificationsWithSubscribers: [notify('ACTUAL', 80), notify('FORECASTED', 100)],
    });
  }

  /**
   * Nothing limits access tokens but Cognito's quota, and no throttle slows a client that requests one before each call. The usage
   * metric has no pool and no client, so the alarm exists once. A query selects it by category, because AWS documents its other
   * dimensions ambiguously (Cognito developer guide, "Metrics for user pools": CallCount; CloudWatch user guide, "Create an alarm
   * based on a Metrics Insights query").
   */
  private addTokenAlarm(email: string, tokens: number) {
    const scope = new Construct(this, 'Alarms');
    const topic = addTopic(scope, email);
    const period = Duration.minutes(15);
    const expression = `SELECT SUM(CallCount) FROM "AWS/Usage" WHERE Resource = 'ClientAuthentication'`;
    const alarm = new MathExpression({ expression, period }).createAlarm(scope, 'TooManyTokens', {
      alarmDescription: `It can wait until morning: within 15 minutes, clients of this account and region requested more than ${tokens} access tokens, at most $${(4 * tokens * prices.token).toFixed(2)} an hour. First: aws cloudtrail lookup-events --lookup-attributes AttributeKey=EventName,AttributeValue=Token_POST --max-items 200 Then: cdk/RUNBOOK.md#toomanytokens`,
      threshold: tokens,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(topic));
    addOutputs(this, {
      AlarmTopicArn: [topic.topicArn, 'The topic of the alarm; confirm its subscription'],
    });
  }

  /** For the access logs of all APIs in this region. The role stays, because other stacks may use it. */
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
