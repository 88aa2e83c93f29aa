import { Duration, Size, Stack } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Operation, servedPaths } from '../../lib/operations/index.ts';
import { resourceServer, scopes } from '../../lib/scopes.ts';
import { type OperationLimit, startAllowance, type Throttle } from '../config/limits.ts';
import type { Settings } from '../config/settings.ts';
import { addAccessLog } from './access-log.ts';
import { acknowledge, acknowledgePublic } from './acknowledge.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { addMethodNotAllowed, addNotFound, addPreflight } from './mock-methods.ts';

interface PetstoreApiProps {
  readonly stage: string;
  readonly settings: Settings;
  readonly userPool: IUserPool;
  readonly routes: readonly {
    readonly operation: Operation;
    readonly limit: OperationLimit;
    readonly function: LambdaFunction;
  }[];
}

const throttling = ({ rate, burst }: Throttle) => ({ throttlingRateLimit: rate, throttlingBurstLimit: burst });

/**
 * The limits of preflights that exceed the default: the largest of the protected methods of their path. A browser sends a
 * preflight for each of their requests, so a smaller limit would reject requests before their own, as CORS errors.
 */
const preflightLimits = (routes: PetstoreApiProps['routes'], least: Throttle): [path: string, limit: Throttle][] => {
  const guarded = routes.filter(({ operation }) => operation.access !== 'public');
  return [...new Set(guarded.flatMap(({ operation }) => servedPaths(operation)))].flatMap(path => {
    const ofPath = guarded.filter(({ operation }) => servedPaths(operation).includes(path)).map(({ limit }) => limit);
    const rate = Math.max(least.rate, ...ofPath.map(limit => limit.rate));
    const burst = Math.max(least.burst, ...ofPath.map(limit => limit.burst));
    return rate > least.rate || burst > least.burst ? [[path, { rate, burst }]] : [];
  });
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
        methodOptions: Object.fromEntries([
          ...routes.flatMap(({ operation, limit }) =>
            servedPaths(operation).map(path => [`${path}/${operation.method}`, throttling(limit)]),
          ),
          ...preflightLimits(routes, settings.defaultThrottle).map(([path, limit]) => [
            `${path}/OPTIONS`,
            throttling(limit),
          ]),
        ]),
        ...accessLog?.options,
      },
    });
    this.requireModernTls();
    // RestApi adds an output with the gateway's own URL, even if that is closed. The stack has one of its own.
    this.api.node.tryRemoveChild('Endpoint');
    addGatewayResponses(this.api);
    acknowledge(this.api, {
      'AwsSolutions-APIG2': 'The functions validate every part of a request, and return all errors in one message.',
      'AwsSolutions-APIG3':
        'A web ACL costs money while idle; the throttle of each method caps the bill. Attach one if you are attacked.',
      'AwsSolutions-APIG6': 'Each function logs its request; execution logs need the account-wide role of API Gateway.',
      ...(!settings.tracing && {
        'Serverless-APIGWXrayEnabled': 'Traces are a setting of the stage: they cost money and contain addresses.',
      }),
      ...(!settings.accessLog && {
        'AwsSolutions-APIG1': 'Access logs need the account-wide role of API Gateway: a setting of the stage.',
        'Serverless-APIGWAccessLogging':
          'Access logs need the account-wide role of API Gateway: a setting of the stage.',
      }),
    });

    this.addRoutes(routes, userPool);
    this.addFallbacks(routes.map(({ operation }) => operation));
  }

  /**
   * Requires TLS 1.2 with forward secrecy; the default of a regional API is 1.0. The policy requires STRICT access, which AWS
   * recommends: it also rejects a Host that differs from the server name of the TLS handshake
   * (docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html). RestApi has no properties for
   * these.
   */
  private requireModernTls() {
    const api = this.api.node.defaultChild as apigateway.CfnRestApi;
    api.securityPolicy = apigateway.SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;
    api.endpointAccessMode = apigateway.EndpointAccessMode.STRICT;
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
    const inner = [...known].flatMap(path => {
      const steps = path.split('/').slice(1, -1);
      return steps.map((_, index) => `/${steps.slice(0, index + 1).join('/')}`);
    });
    const unknown = new Set(['/{proxy+}', ...inner].filter(path => !known.has(path)));
    for (const path of unknown) addNotFound(this.api.root.resourceForPath(path));
  }
}
