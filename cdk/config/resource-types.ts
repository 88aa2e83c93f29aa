import { prices } from './prices.ts';

/** What is paid for a resource of a type, whether anything happens or not. */
export interface IdlePrice {
  /** Its line of the bill. */
  readonly what: string;
  readonly unit: string;
  /** Dollars a unit and month. */
  readonly price: number;
  readonly units: (properties: { readonly Metrics?: readonly object[] }) => number;
}

interface ResourceType {
  /** Whether cdk/local reads resources of this type; or why one machine can do without. */
  readonly local: 'served' | { readonly ignored: string };
  readonly idle: 'nothing' | IdlePrice;
}

const served = { local: 'served', idle: 'nothing' } as const;
const ignored = (why: string): ResourceType => ({ local: { ignored: why }, idle: 'nothing' });

const notCalled = 'nobody is notified from one machine';
const notEnforced = 'IAM is not enforced here; tests enforce it in front of DynamoDB';
const printed = 'logs are printed';

/** Every CloudFormation type that a template of this project may have. */
export const resourceTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::ApiGateway::Authorizer': ignored('tokens of the local issuer are checked by the scopes of each method'),
  'AWS::ApiGateway::BasePathMapping': ignored('the server has an address of its own'),
  'AWS::ApiGateway::Deployment': ignored('what is saved is served'),
  'AWS::ApiGateway::DomainName': ignored('the server has an address of its own'),
  'AWS::ApiGateway::GatewayResponse': served,
  'AWS::ApiGateway::Method': served,
  'AWS::ApiGateway::Resource': served,
  'AWS::ApiGateway::RestApi': served,
  'AWS::ApiGateway::Stage': served,
  'AWS::CDK::Metadata': ignored('it says which constructs the CDK used'),
  // aws.amazon.com/cloudwatch/pricing: an alarm costs by the metrics that it reads, a dashboard by the piece.
  'AWS::CloudWatch::Alarm': {
    local: { ignored: notCalled },
    idle: {
      ...{ what: 'CloudWatch, alarms', unit: 'metrics', price: prices.alarmMetric },
      units: ({ Metrics }) => Metrics?.length ?? 1,
    },
  },
  'AWS::CloudWatch::Dashboard': {
    local: { ignored: 'there are no metrics on one machine' },
    idle: { what: 'CloudWatch, dashboards', unit: 'dashboards', price: prices.dashboard, units: () => 1 },
  },
  'AWS::Cognito::UserPool': ignored('a local issuer stands in for it'),
  'AWS::Cognito::UserPoolClient': served,
  'AWS::Cognito::UserPoolDomain': ignored('the local issuer has an address of its own'),
  'AWS::Cognito::UserPoolResourceServer': served,
  'AWS::DynamoDB::GlobalTable': served,
  'AWS::Events::ApiDestination': served,
  'AWS::Events::Connection': served,
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
  // A record in a zone that exists anyway: the zone is not the stage's.
  'AWS::Route53::RecordSet': ignored('the server has an address of its own'),
  'AWS::SNS::Subscription': ignored(notCalled),
  'AWS::SNS::Topic': ignored(notCalled),
  'AWS::SNS::TopicPolicy': ignored(notCalled),
  'AWS::SQS::Queue': served,
  'AWS::SQS::QueuePolicy': ignored(notEnforced),
};

/** @throws when the table has no row of the type */
export const resourceType = (type: string): ResourceType => {
  const found = Object.hasOwn(resourceTypes, type) ? resourceTypes[type] : undefined;
  if (found) return found;
  throw new Error(
    `The type ${type} has no row in cdk/config/resource-types.ts. Add one: whether the local server serves it, and what it costs in an idle month.`,
  );
};
