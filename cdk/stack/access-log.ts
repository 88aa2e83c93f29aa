import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '../config/settings.ts';
import { addOutputs } from './outputs.ts';

/**
 * The gateway logs a request even if it reaches no function. A missing value is `-` (developer guide, "Variables for access
 * logging for API Gateway"). Headers, query and `error.message` are left out, because they can contain a token.
 */
export const accessLogLine = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  clientId: '$context.authorizer.claims.client_id',
  httpMethod: '$context.httpMethod',
  resourcePath: '$context.resourcePath',
  protocol: '$context.protocol',
  status: '$context.status',
  /** Of the call of Lambda; a crash of the function has 200. */
  lambdaStatus: '$context.integrationStatus',
  errorType: '$context.error.responseType',
  integrationStatus: '$context.integration.status',
  integrationError: '$context.integration.error',
  /** Milliseconds. */
  latency: '$context.responseLatency',
  integrationLatency: '$context.integration.latency',
  responseLength: '$context.responseLength',
  traceId: '$context.xrayTraceId',
} as const;

export const addAccessLog = (scope: Construct, { logRetention }: Settings) => {
  const group = new LogGroup(scope, 'AccessLog', {
    retention: logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  addOutputs(scope, {
    AccessLog: [group.logGroupName, 'The variable ACCESS_LOG of the environment monitor'],
  });
  return {
    group,
    options: {
      accessLogDestination: new LogGroupLogDestination(group),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogLine)),
    },
  };
};
