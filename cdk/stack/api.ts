import { Duration, Size, type Stack } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { type Operation, servedPaths } from '../../lib/operations/index.ts';
import { resourceServer, scopes } from '../../lib/scopes.ts';
import { startAllowance, type Throttle } from '../config/limits.ts';
import type { Settings } from '../config/settings.ts';
import { addAccessLog } from './access-log.ts';
import { acknowledge, acknowledgePublic, noTraces } from './acknowledge.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { addMethodNotAllowed, addNotFound, addPreflight } from './mock-methods.ts';
import type { OperationFunction } from './operation-function.ts';

interface ApiProps {
  readonly stage: string;
  readonly settings: Settings;
  readonly userPool: IUserPool;
  readonly routes: readonly OperationFunction[];
}

const throttling = ({ rate, burst }: Throttle) => ({
  throttlingRateLimit: rate,
  throttlingBurstLimit: burst,
});

const noAccessLog =
  'Access logs need the account-wide role of API Gateway: a setting of the stage.';

/**
 * Browsers can send one preflight per request with a token or `If-None-Match`, so a path's preflight gets the largest limit of
 * its methods. With less, requests fail as CORS errors.
 */
const methodOptions = (routes: readonly OperationFunction[], least: Throttle) => {
  const limits = new Map<string, Throttle>();
  const preflights = new Map<string, Throttle>();
  for (const { operation, limit } of routes)
    for (const path of servedPaths(operation)) {
      limits.set(`${path}/${operation.method}`, limit);
      const { rate, burst } = preflights.get(`${path}/OPTIONS`) ?? least;
      const preflight = { rate: Math.max(rate, limit.rate), burst: Math.max(burst, limit.burst) };
      if (preflight.rate > least.rate || preflight.burst > least.burst)
        preflights.set(`${path}/OPTIONS`, preflight);
    }
  return Object.fromEntries(
    [...limits, ...preflights].map(([method, limit]) => [method, throttling(limit)]),
  );
};

const addRoutes = (
  scope: Construct,
  root: apigateway.IResource,
  { routes, userPool }: ApiProps,
) => {
  const protectedMethod = {
    authorizer: new apigateway.CognitoUserPoolsAuthorizer(scope, 'Authorizer', {
      cognitoUserPools: [userPool],
    }),
    authorizationType: apigateway.AuthorizationType.COGNITO,
    // The gateway accepts any scope, because it would return 401 for a wrong one. The function returns 403.
    authorizationScopes: scopes.map(scope => `${resourceServer}/${scope}`),
  };
  for (const { operation, limit, function: handler } of routes) {
    const timeout = Duration.seconds(limit.timeout + startAllowance);
    const integration = new apigateway.LambdaIntegration(handler, {
      allowTestInvoke: false,
      timeout,
    });
    const isPublic = operation.access === 'public';
    for (const path of servedPaths(operation)) {
      const resource = root.resourceForPath(path);
      const method = resource.addMethod(
        operation.method,
        integration,
        isPublic ? {} : protectedMethod,
      );
      if (isPublic) acknowledgePublic(method, 'The catalog and the documentation are public.');
    }
  }
};

const addFallbacks = (root: apigateway.IResource, all: readonly Operation[]) => {
  const known = new Set(all.flatMap(servedPaths));
  for (const path of known) {
    const resource = root.resourceForPath(path);
    const methods = all
      .filter(operation => servedPaths(operation).includes(path))
      .map(({ method }) => method);
    addPreflight(resource, methods);
    addMethodNotAllowed(resource, methods);
  }
  const inner = [...known].flatMap(path =>
    [...path.matchAll(/(?<=.)\//g)].map(({ index }) => path.slice(0, index)),
  );
  const unknown = new Set(['/{proxy+}', ...inner].filter(path => !known.has(path)));
  for (const path of unknown) {
    const resource = root.resourceForPath(path);
    addPreflight(resource, []);
    addNotFound(resource);
  }
};

/** Adds a REST API, because an HTTP API cannot customize the errors of the gateway. */
export const addApi = (stack: Stack, props: ApiProps) => {
  const { stage, settings, routes } = props;
  const scope = new Construct(stack, 'Api');
  const accessLog = settings.accessLog ? addAccessLog(scope, settings) : undefined;
  const api = new apigateway.RestApi(scope, 'Api', {
    restApiName: stack.stackName,
    description: `Petstore, stage ${stage}`,
    endpointTypes: [apigateway.EndpointType.REGIONAL],
    // Compression of a smaller response gains nothing: with its headers it fits into one packet.
    minCompressionSize: Size.bytes(1_024),
    // The role for logs exists once per account and region, so this stack must not replace it.
    cloudWatchRole: false,
    // Callers know one URL. With `publicUrl`, the domain stays open to whoever knows it (cdk/README.md, "Domains").
    ...(settings.domain && { disableExecuteApiEndpoint: true }),
    deployOptions: {
      stageName: stage,
      tracingEnabled: settings.tracing,
      ...throttling(settings.defaultThrottle),
      methodOptions: methodOptions(routes, settings.defaultThrottle),
      ...accessLog?.options,
    },
  });
  // Without a policy, a regional API accepts TLS 1.0; this one requires TLS 1.2 with forward secrecy. It needs an access mode:
  // AWS recommends STRICT, which rejects a Host that differs from the TLS handshake's server name
  // (docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html). RestApi lacks properties for both.
  const resource = api.node.defaultChild as apigateway.CfnRestApi;
  resource.securityPolicy = apigateway.SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;
  resource.endpointAccessMode = apigateway.EndpointAccessMode.STRICT;
  // RestApi adds an output with the gateway's own URL, even if it is closed. `ApiUrl` replaces it.
  api.node.tryRemoveChild('Endpoint');
  addGatewayResponses(api, settings.requestsPerAddress !== undefined);
  acknowledge(api, {
    'AwsSolutions-APIG2':
      'The functions validate every part of a request, and return all errors in one message.',
    ...(!settings.requestsPerAddress && {
      'AwsSolutions-APIG3':
        'A web ACL costs money while idle: a setting. The throttle of each method caps the bill.',
    }),
    'AwsSolutions-APIG6':
      'Each function logs its request; execution logs need the account-wide role of API Gateway.',
    ...(!settings.tracing && { 'Serverless-APIGWXrayEnabled': noTraces }),
    ...(!settings.accessLog && {
      'AwsSolutions-APIG1': noAccessLog,
      'Serverless-APIGWAccessLogging': noAccessLog,
    }),
  });

  const operations = routes.map(({ operation }) => operation);
  addRoutes(scope, api.root, props);
  addFallbacks(api.root, operations);
  return { api, accessLog: accessLog?.group };
};
