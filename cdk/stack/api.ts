import { Duration, Size, Stack } from 'aws-cdk-lib';
import {
  AuthorizationType,
  type CfnRestApi,
  CognitoUserPoolsAuthorizer,
  EndpointAccessMode,
  EndpointType,
  LambdaIntegration,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
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

/** The front door: a REST API, because an HTTP API cannot say its own errors in our words. */
export class PetstoreApi extends Construct {
  readonly api: RestApi;
  /** Where the gateway logs, if it does. */
  readonly accessLog: ILogGroup | undefined;

  constructor(scope: Construct, id: string, { stage, settings, userPool, routes }: PetstoreApiProps) {
    super(scope, id);
    const accessLog = settings.accessLog ? addAccessLog(this, settings) : undefined;
    this.accessLog = accessLog?.group;
    this.api = new RestApi(this, 'Api', {
      restApiName: Stack.of(this).stackName,
      description: `Petstore, stage ${stage}`,
      endpointTypes: [EndpointType.REGIONAL],
      // A smaller answer gains nothing: with its headers it fits into one packet either way.
      minCompressionSize: Size.bytes(1_024),
      // The role is one per account and region: setting it here would take it from every neighbour.
      cloudWatchRole: false,
      // One door: what is refused or logged under the domain is not to be had beside it.
      ...(settings.domain && { disableExecuteApiEndpoint: true }),
      deployOptions: {
        stageName: stage,
        tracingEnabled: true,
        // The stage's own throttle is only what a method without a row of its own inherits.
        ...throttling(settings.defaultThrottle),
        methodOptions: Object.fromEntries(
          routes.flatMap(({ operation, limit }) =>
            servedPaths(operation).map(path => [`${path}/${operation.method}`, throttling(limit)]),
          ),
        ),
        ...accessLog?.options,
      },
    });
    this.refuseOldTls();
    // An output that RestApi makes by itself: the gateway's own address, even where that is closed. The stack says the right one.
    this.api.node.tryRemoveChild('Endpoint');
    addGatewayResponses(this.api);
    acknowledge(this.api, {
      'AwsSolutions-APIG2': 'The functions validate every part of a request, and name all of its faults in one Error.',
      'AwsSolutions-APIG3':
        'A web ACL costs money while idle; each method’s throttle caps the bill. Attach one if you are attacked.',
      'AwsSolutions-APIG6': 'Each function logs its request; execution logs need the account-wide role of API Gateway.',
      ...(!settings.accessLog && {
        'AwsSolutions-APIG1': 'Access logs need the account-wide role of API Gateway: a setting of the stage.',
        'Serverless-APIGWAccessLogging':
          'Access logs need the account-wide role of API Gateway: a setting of the stage.',
      }),
    });

    this.addRoutes(routes, userPool);
    this.closeGaps(routes.map(({ operation }) => operation));
  }

  /**
   * TLS 1.2 at least, with forward secrecy; a regional API takes 1.0 otherwise. STRICT, which AWS recommends and such a
   * policy asks for, also refuses a Host that is not the name of the TLS handshake
   * (docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html). RestApi itself has no
   * property for either.
   */
  private refuseOldTls() {
    const api = this.api.node.defaultChild as CfnRestApi;
    api.securityPolicy = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;
    api.endpointAccessMode = EndpointAccessMode.STRICT;
  }

  /** Each operation's methods, behind its token where the contract asks for one. */
  private addRoutes(routes: PetstoreApiProps['routes'], userPool: IUserPool) {
    const protectedMethod = {
      authorizer: new CognitoUserPoolsAuthorizer(this, 'Authorizer', { cognitoUserPools: [userPool] }),
      authorizationType: AuthorizationType.COGNITO,
      // All of them: to the gateway a missing scope is a 401. The function checks the exact one and answers 403.
      authorizationScopes: scopes.map(scope => `${resourceServer}/${scope}`),
    };
    for (const { operation, limit, function: handler } of routes) {
      const timeout = Duration.seconds(limit.timeout + startAllowance);
      const integration = new LambdaIntegration(handler, { allowTestInvoke: false, timeout });
      const isPublic = operation.access === 'public';
      for (const path of servedPaths(operation)) {
        const resource = this.api.root.resourceForPath(path);
        const method = resource.addMethod(operation.method, integration, isPublic ? {} : protectedMethod);
        if (isPublic) acknowledgePublic(method, 'The contract opens the catalogue and the documentation to everybody.');
      }
    }
  }

  /** Whatever no operation answers is 405 on a path that has operations, and 404 elsewhere. */
  private closeGaps(all: readonly Operation[]) {
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
