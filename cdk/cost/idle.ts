import { resourcesOf, type Template } from '../build/template.ts';
import { prices } from '../config/prices.ts';
import { number, sum } from './numbers.ts';

/** One line of a bill, in dollars. */
export interface CostLine {
  readonly what: string;
  readonly bound: string;
  /** At most. */
  readonly month: number;
  /** In which nothing happens. Absent: nothing. */
  readonly idle?: number;
}

/**
 * What is paid for being there, by type: how its units are called, and how many a resource is.
 * aws.amazon.com/cloudwatch/pricing: an alarm costs by the metrics that it reads, a dashboard by the piece.
 */
const priced: Readonly<
  Record<string, { what: string; unit: string; price: number; units: (properties: { Metrics?: object[] }) => number }>
> = {
  'AWS::CloudWatch::Alarm': {
    what: 'CloudWatch, alarms',
    unit: 'metrics',
    price: prices.alarmMetric,
    units: ({ Metrics }) => Metrics?.length ?? 1,
  },
  'AWS::CloudWatch::Dashboard': {
    what: 'CloudWatch, dashboards',
    unit: 'dashboards',
    price: prices.dashboard,
    units: () => 1,
  },
};

/** What costs nothing as long as nobody asks anything of it. */
const freeWhileIdle = new Set([
  ...['Authorizer', 'BasePathMapping', 'Deployment', 'DomainName', 'GatewayResponse', 'Method', 'Resource'].map(
    name => `AWS::ApiGateway::${name}`,
  ),
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::CDK::Metadata',
  ...['UserPool', 'UserPoolClient', 'UserPoolDomain', 'UserPoolResourceServer'].map(name => `AWS::Cognito::${name}`),
  ...['ApiDestination', 'Connection', 'EventBus', 'Rule'].map(name => `AWS::Events::${name}`),
  'AWS::DynamoDB::GlobalTable',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::QueryDefinition',
  // A record in a zone that is there anyway: the zone is not the stack's.
  'AWS::Route53::RecordSet',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
]);

/** What is paid for being there, whether anything happens or not. @throws at a type of which it is not known */
export const standing = (template: Template): CostLine[] => {
  const types = [...new Set(Object.values(template.Resources).map(({ Type }) => Type))];
  const unknown = types.filter(type => !freeWhileIdle.has(type) && !(type in priced));
  if (unknown.length > 0)
    throw new Error(`What does an idle month of ${unknown.join(', ')} cost? Say it in cdk/cost/idle.ts.`);
  return types
    .filter(type => type in priced)
    .map(type => {
      const { what, unit, price, units } = priced[type]!;
      const count = sum(resourcesOf(template, type).map(([, properties]) => units(properties)));
      return { what, bound: `${number(count)} ${unit}`, month: count * price, idle: count * price };
    });
};
