import { Duration, FileSystem, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '../config/settings.ts';
import { acknowledge } from './acknowledge.ts';

interface FunctionProps {
  readonly description: string;
  /** The folder with its bundle. */
  readonly code: string;
  /** Megabytes. */
  readonly memory: number;
  /** Seconds. */
  readonly timeout: number;
  readonly environment: Record<string, string>;
  readonly settings: Settings;
}

/** Adds a function with its own log group and role, and with the runtime, arm64, JSON logs and traces of all functions. */
export const addFunction = (
  scope: Construct,
  { description, code, memory, timeout, environment, settings }: FunctionProps,
) => {
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: settings.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  const added = new LambdaFunction(scope, 'Function', {
    description,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(code),
    handler: 'index.handler',
    memorySize: memory,
    timeout: Duration.seconds(timeout),
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    applicationLogLevelV2: ApplicationLogLevel.INFO,
    // REPORT lines have level INFO, crashes and timeouts WARN or higher.
    systemLogLevelV2: settings.reportLines ? SystemLogLevel.INFO : SystemLogLevel.WARN,
    tracing: Tracing.ACTIVE,
    environment: { BUILD: FileSystem.fingerprint(code), ...environment },
  });
  acknowledge(scope, {
    'AwsSolutions-IAM5[Resource::*]': 'X-Ray: its two actions take no resource (a test allows no other wildcard).',
  });
  return { function: added, role, logGroup };
};
