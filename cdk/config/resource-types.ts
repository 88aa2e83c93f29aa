import { prices } from './prices.ts';

interface ResourceType {
  /** Whether cdk/local serves resources of this type, or why it ignores them. */
  readonly local: 'served' | { readonly ignored: string };
  /** What resources of this type cost while idle: their line of the bill, what it counts, and dollars for each in a month. */
  readonly idle: 'nothing' | { readonly what: string; readonly unit: string; readonly price: number };
}

const served = { local: 'served', idle: 'nothing' } as const;
const ignored = (why: string): ResourceType => ({ local: { ignored: why }, idle: 'nothing' });

const noAlarms = 'there are no alarms locally';
const noFirewall = 'there is no AWS WAF locally';
const notEnforced = 'IAM is not enforced locally; tests enforce it in front of DynamoDB';
const printed = 'logs are printed';

/** Every CloudFormation type that a template of this project may have. */
export const resourceTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::ApiGateway::Authorizer': ignored('local tokens are verified with the scopes of each method'),
  'AWS::ApiGateway::BasePathMapping': ignored('the local server has its own URL'),
  'AWS::ApiGateway::Deployment': ignored('the local server serves the template itself'),
  'AWS::ApiGateway::DomainName': ignored('the local server has its own URL'),
  'AWS::ApiGateway::GatewayResponse': served,
  'AWS::ApiGateway::Method': served,
  'AWS::ApiGateway::Resource': served,
  'AWS::ApiGateway::RestApi': served,
  'AWS::ApiGateway::Stage': served,
  'AWS::CDK::Metadata': ignored('it lists the constructs that the CDK used'),
  // aws.amazon.com/cloudwatch/pricing: alarms are charged per metric, and each reads one (test/stack/monitoring.test.ts).
  'AWS::CloudWatch::Alarm': {
    ...ignored(noAlarms),
    idle: { what: 'CloudWatch, alarms', unit: 'metrics', price: prices.alarmMetric },
  },
  'AWS::CloudWatch::Dashboard': {
    ...ignored('there are no metrics locally'),
    idle: { what: 'CloudWatch, dashboards', unit: 'dashboards', price: prices.dashboard },
  },
  'AWS::Cognito::UserPool': ignored('a local token issuer replaces it'),
  'AWS::Cognito::UserPoolClient': served,
  'AWS::Cognito::UserPoolDomain': ignored('the local issuer has its own URL'),
  'AWS::Cognito::UserPoolResourceServer': served,
  'AWS::DynamoDB::GlobalTable': served,
  'AWS::Events::EventBus': served,
  'AWS::Events::Rule': served,
  'AWS::IAM::Policy': ignored(notEnforced),
  'AWS::IAM::Role': ignored(notEnforced),
  'AWS::Lambda::EventSourceMapping': served,
  'AWS::Lambda::Function': served,
  'AWS::Lambda::Permission': ignored(notEnforced),
  'AWS::Logs::LogGroup': ignored(printed),
  'AWS::Logs::MetricFilter': ignored(printed),
  'AWS::Logs::QueryDefinition': ignored(printed),
  // A record is free. Its zone is not part of the stage.
  'AWS::Route53::RecordSet': ignored('the local server has its own URL'),
  'AWS::SNS::Subscription': ignored(noAlarms),
  'AWS::SNS::Topic': ignored(noAlarms),
  'AWS::SNS::TopicPolicy': ignored(noAlarms),
  'AWS::SQS::Queue': served,
  'AWS::SQS::QueuePolicy': ignored(notEnforced),
  'AWS::WAFv2::WebACL': {
    local: { ignored: noFirewall },
    idle: { what: 'AWS WAF, web ACL', unit: 'web ACLs with a rule', price: prices.webAcl },
  },
  'AWS::WAFv2::WebACLAssociation': ignored(noFirewall),
};

/** @throws when the table has no row of the type */
export const resourceType = (type: string): ResourceType => {
  const found = Object.hasOwn(resourceTypes, type) ? resourceTypes[type] : undefined;
  if (found) return found;
  throw new Error(
    `The type ${type} has no row in cdk/config/resource-types.ts. Add one: whether the local server serves it, and what it costs in an idle month.`,
  );
};
