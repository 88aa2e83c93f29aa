import { prices } from './prices.ts';

/** The local server (cdk/local) serves the type. Any other text is why it ignores the type. */
const served = 'served';
const noAlarms = 'there are no alarms locally';
const noFirewall = 'there is no AWS WAF locally';
const notEnforced = 'IAM is not enforced locally; tests enforce it in front of DynamoDB';
const printed = 'logs are printed';

/** Every type that a template may have. */
export const resourceTypes: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Authorizer': 'local tokens are verified with the scopes of each method',
  'AWS::ApiGateway::BasePathMapping': 'the local server has its own URL',
  'AWS::ApiGateway::Deployment': 'the local server serves the template itself',
  'AWS::ApiGateway::DomainName': 'the local server has its own URL',
  'AWS::ApiGateway::GatewayResponse': served,
  'AWS::ApiGateway::Method': served,
  'AWS::ApiGateway::Resource': served,
  'AWS::ApiGateway::RestApi': served,
  'AWS::ApiGateway::Stage': served,
  'AWS::CDK::Metadata': 'it lists the constructs that the CDK used',
  'AWS::CloudWatch::Alarm': noAlarms,
  'AWS::CloudWatch::Dashboard': 'there are no metrics locally',
  'AWS::Cognito::UserPool': 'a local token issuer replaces it',
  'AWS::Cognito::UserPoolClient': served,
  'AWS::Cognito::UserPoolDomain': 'the local issuer has its own URL',
  'AWS::Cognito::UserPoolResourceServer': served,
  'AWS::DynamoDB::GlobalTable': served,
  'AWS::Events::EventBus': served,
  'AWS::Events::Rule': served,
  'AWS::IAM::Policy': notEnforced,
  'AWS::IAM::Role': notEnforced,
  'AWS::Lambda::EventSourceMapping': served,
  'AWS::Lambda::Function': served,
  'AWS::Lambda::Permission': notEnforced,
  'AWS::Logs::LogGroup': printed,
  'AWS::Logs::MetricFilter': printed,
  'AWS::Logs::QueryDefinition': printed,
  // A record is free. The zone costs money, but the stack does not create it.
  'AWS::Route53::RecordSet': 'the local server has its own URL',
  'AWS::SNS::Subscription': noAlarms,
  'AWS::SNS::Topic': noAlarms,
  'AWS::SNS::TopicPolicy': noAlarms,
  'AWS::SQS::Queue': served,
  'AWS::SQS::QueuePolicy': notEnforced,
  'AWS::WAFv2::WebACL': noFirewall,
  'AWS::WAFv2::WebACLAssociation': noFirewall,
};

/** Types that always cost money while idle. The price is in dollars per unit and month. */
export const idleCosts: Readonly<
  Record<string, readonly [what: string, unit: string, price: number]>
> = {
  'AWS::WAFv2::WebACL': ['AWS WAF, web ACL', 'web ACLs with a rule', prices.webAcl],
  'AWS::CloudWatch::Alarm': ['CloudWatch, alarms', 'metrics', prices.alarmMetric],
  'AWS::CloudWatch::Dashboard': ['CloudWatch, dashboards', 'dashboards', prices.dashboard],
};

/** @throws when there is no row of the type */
export const checkType = (type: string): void => {
  if (Object.hasOwn(resourceTypes, type)) return;
  throw new Error(
    `The type ${type} has no row in cdk/config/resource-types.ts. Add one: whether the local server serves it, and what it costs in an idle month.`,
  );
};
