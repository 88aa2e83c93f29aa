import { Duration, FileSystem, RemovalPolicy } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '../config/settings.ts';
import { acknowledge, noTraces } from './acknowledge.ts';

type Grant = readonly [
  service: string,
  actions: readonly string[],
  resources: readonly string[],
  conditions?: object,
];

interface FunctionProps {
  readonly description: string;
  /** The folder with its bundle. */
  readonly code: string;
  /** Megabytes. */
  readonly memory: number;
  /** Seconds. */
  readonly timeout: number;
  /** Undefined variables are left out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Besides logs and traces. A row without actions allows nothing. */
  readonly grants: readonly Grant[];
  readonly settings: Settings;
}

const linesThatAreRead =
  'Alarms read lines of level ERROR, queries and the dashboard those of level INFO, so use INFO, DEBUG or TRACE (cdk/stack/function.ts).';

export const addFunction = (scope: Construct, props: FunctionProps) => {
  const { description, code, memory, timeout, environment, grants, settings } = props;
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: settings.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const variables = Object.entries({ BUILD: FileSystem.fingerprint(code), ...environment });
  const role = new iam.Role(scope, 'Role', {
    assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
  });
  logGroup.grantWrite(role);
  const added = new lambda.Function(scope, 'Function', {
    description,
    runtime: lambda.Runtime.NODEJS_24_X,
    architecture: lambda.Architecture.ARM_64,
    code: lambda.Code.fromAsset(code),
    handler: 'index.handler',
    memorySize: memory,
    timeout: Duration.seconds(timeout),
    role,
    logGroup,
    loggingFormat: lambda.LoggingFormat.JSON,
    applicationLogLevelV2: lambda.ApplicationLogLevel.INFO,
    // REPORT lines have level INFO, crashes and timeouts WARN or higher.
    systemLogLevelV2: lambda.SystemLogLevel.WARN,
    tracing: lambda.Tracing[settings.tracing ? 'ACTIVE' : 'DISABLED'],
    environment: Object.fromEntries(
      variables.filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  });
  for (const [service, names, resources, conditions = {}] of grants) {
    const actions = names.map(name => `${service}:${name}`);
    if (actions.length > 0)
      role.addToPolicy(new iam.PolicyStatement({ actions, resources: [...resources], conditions }));
  }
  added.node.addValidation({
    validate: () => {
      const { applicationLogLevel: level } = (added.node.defaultChild as lambda.CfnFunction)
        .loggingConfig as lambda.CfnFunction.LoggingConfigProperty;
      return ['TRACE', 'DEBUG', 'INFO'].includes(`${level}`)
        ? []
        : [`Its log level is ${level}. ${linesThatAreRead}`];
    },
  });
  const wildcard = 'X-Ray: its two actions take no resource (a test allows no other wildcard).';
  if (settings.tracing) acknowledge(scope, { 'AwsSolutions-IAM5[Resource::*]': wildcard });
  else acknowledge(scope, { 'Serverless-LambdaTracing': noTraces });
  return { function: added, role, logGroup };
};
