import { Duration, Size, Stack } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Operation, servedPaths } from '../../lib/operations/index.ts';
import { resourceServer, scopes } from '../../lib/scopes.ts';
import { startAllowance, type Throttle } from '../config/limits.ts';
import type { Settings } from '../config/settings.ts';
import { addAccessLog } from './access-log.ts';
import { acknowledge, acknowledgePublic } from './acknowledge.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { addMethodNotAllowed, addNotFound, addPreflight } from './mock-methods.ts';
import type { OperationFunction } from './operation-function.ts';

interface PetstoreApiProps {
  readonly stage: string;
  readonly settings: Settings;
  readonly userPool: IUserPool;
  readonly routes: readonly OperationFunction[];
}

const throttling = ({ rate, burst }: Throttle) => ({ throttlingRateLimit: rate, throttlingBurstLimit: burst });

const noAccessLog = 'Access logs need the account-wide role of API Gateway: a setting of the stage.';

/**
 * The limits of operations, and of preflights of paths whose protected methods exceed the default. A preflight has the largest
 * limit of these methods, because a browser sends one for each request. With a smaller limit, requests would fail as CORS errors.
 */
const methodOptions = (routes: readonly OperationFunction[], least: Throttle) => {
  const limits = new Map<string, Throttle>();
  const preflights = new Map<string, Throttle>();
  for (const { operation, limit } of routes)
    for (const path of servedPaths(operation)) {
      limits.set(`${path}/${operation.method}`, limit);
      const { rate, burst } = preflights.get(`${path}/OPTIONS`) ?? least;
      const preflight = { rate: Math.max(rate, limit.rate), burst: Math.max(burst, limit.burst) };
      const exceeds = preflight.rate > least.rate || preflight.burst > least.burst;
      if (operation.access !== 'public' && exceeds) preflights.set(`${path}/OPTIONS`, preflight);
    }
  return Object.fromEntries([...limits, ...preflights].map(([method, limit]) => [method, throttling(limit)]));
};

/** A REST API, because an HTTP API cannot customize the errors of the gateway. */
export class PetstoreApi extends Construct {
  readonly api: apigateway.RestApi;
  /** Only with the setting `accessLog`. */
  readonly accessLog: ILogGroup | undefined;

  constructor(scope: Construct, id: string, { stage, settings, userPool, routes }: PetstoreApiProps) {
    super(scope, id);
    const accessLog = settings.accessLog ? addAccessLog(this, settings) : undefined;
    this.accessLog = accessLog?.group;
    this.api = new apigateway.RestApi(this, 'Api', {
      restApiName: Stack.of(this).stackName,
      description: `Petstore, stage ${stage}`,
      endpointTypes: [apigateway.EndpointType.REGIONAL],
      // A smaller response gains nothing: with its headers it fits into one packet.
      minCompressionSize: Size.bytes(1_024),
      // The role exists once per account and region, so this stack must not replace it.
      cloudWatchRole: false,
      // With a domain, the gateway's own URL is closed, so that nobody bypasses what is in front of the domain.
      ...(settings.domain && { disableExecuteApiEndpoint: true }),
      deployOptions: {
        stageName: stage,
        tracingEnabled: settings.tracing,
        // The default of methods without an operation.
        ...throttling(settings.defaultThrottle),
        methodOptions: methodOptions(routes, settings.defaultThrottle),
        ...accessLog?.options,
      },
    });
    // TLS 1.2 with forward secrecy; the default of a regional API is 1.0. The policy requires STRICT access, which AWS
    // recommends: it also rejects a Host that differs from the server name of the TLS handshake
    // (docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html). RestApi has no properties
    // for these.
    const api = this.api.node.defaultChild as apigateway.CfnRestApi;
    api.securityPolicy = apigateway.SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;
    api.endpointAccessMode = apigateway.EndpointAccessMode.STRICT;
    // RestApi adds an output with the gateway's own URL, even if that is closed. The stack has one of its own.
    this.api.node.tryRemoveChild('Endpoint');
    addGatewayResponses(this.api, settings.requestsPerAddress !== undefined);
    acknowledge(this.api, {
      'AwsSolutions-APIG2': 'The functions validate every part of a request, and return all errors in one message.',
      ...(!settings.requestsPerAddress && {
        'AwsSolutions-APIG3': 'A web ACL costs money while idle: a setting. The throttle of each method caps the bill.',
      }),
      'AwsSolutions-APIG6': 'Each function logs its request; execution logs need the account-wide role of API Gateway.',
      ...(!settings.tracing && {
        'Serverless-APIGWXrayEnabled': 'Traces are a setting of the stage: they cost money and contain addresses.',
      }),
      ...(!settings.accessLog && { 'AwsSolutions-APIG1': noAccessLog, 'Serverless-APIGWAccessLogging': noAccessLog }),
    });

    this.addRoutes(routes, userPool);
    this.addFallbacks(routes.map(({ operation }) => operation));
  }

  /** Adds the methods of each operation, with the authorizer if its access is not public. */
  private addRoutes(routes: PetstoreApiProps['routes'], userPool: IUserPool) {
    const protectedMethod = {
      authorizer: new apigateway.CognitoUserPoolsAuthorizer(this, 'Authorizer', { cognitoUserPools: [userPool] }),
      authorizationType: apigateway.AuthorizationType.COGNITO,
      // All scopes, because the gateway returns 401 for a missing one. The function checks the exact scope and returns 403.
      authorizationScopes: scopes.map(scope => `${resourceServer}/${scope}`),
    };
    for (const { operation, limit, function: handler } of routes) {
      const timeout = Duration.seconds(limit.timeout + startAllowance);
      const integration = new apigateway.LambdaIntegration(handler, { allowTestInvoke: false, timeout });
      const isPublic = operation.access === 'public';
      for (const path of servedPaths(operation)) {
        const resource = this.api.root.resourceForPath(path);
        const method = resource.addMethod(operation.method, integration, isPublic ? {} : protectedMethod);
        if (isPublic) acknowledgePublic(method, 'The catalog and the documentation are public.');
      }
    }
  }

  /** Adds 405 to paths that have operations, and 404 to all others. */
  private addFallbacks(all: readonly Operation[]) {
    const known = new Set(all.flatMap(servedPaths));
    for (const path of known) {
      const resource = this.api.root.resourceForPath(path);
      const methods = all.filter(operation => servedPaths(operation).includes(path)).map(({ method }) => method);
      addPreflight(resource, methods);
      addMethodNotAllowed(resource, methods);
    }
    const inner = [...known].flatMap(path => [...path.matchAll(/(?<=.)\//g)].map(({ index }) => path.slice(0, index)));
    const unknown = new Set(['/{proxy+}', ...inner].filter(path => !known.has(path)));
    for (const path of unknown) addNotFound(this.api.root.resourceForPath(path));
  }
}
