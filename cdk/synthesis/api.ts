import { checkType } from '../config/resource-types.ts';
import { type FixedResponse, type Mock, readHeaders, readMock } from './fixed-response.ts';
import { type Assembly, evaluate, onlyResourceOf, type Resource, resourcesOf } from './template.ts';
import { type MethodThrottle, readThrottles } from './throttles.ts';

/** `ANY` can be one of the methods. */
export interface Route<M> {
  readonly path: string;
  readonly methods: ReadonlyMap<string, M>;
}

export interface FunctionDefinition {
  readonly name: string;
  /** A folder. Its source map, if any, has the same path with `.map`. */
  readonly code: string;
  /** `file.export` */
  readonly handler: string;
  /** Seconds. */
  readonly timeout: number;
  /** Megabytes. */
  readonly memory: number;
  readonly environment: Record<string, string>;
  readonly logLevel: string;
}

export interface AppClient {
  readonly id: string;
  /** Full names: `petstore/orders`. */
  readonly scopes: readonly string[];
  /** Validity of its tokens, in seconds. */
  readonly lifetime: number;
}

export interface Method {
  /** Methods never share a token bucket, even if both have the stage's default. */
  readonly throttle: MethodThrottle;
  /** A token needs one of them. Absent: the method is public. */
  readonly scopes?: readonly string[];
  /** `timeout` is in milliseconds. */
  readonly target:
    | { readonly function: string; readonly timeout: number }
    | { readonly mock: Mock };
}

type Properties = Resource['Properties'];

export interface Api {
  readonly id: string;
  readonly stage: string;
  /** In bytes. */
  readonly minimumCompressionSize: number;
  readonly resources: readonly Route<Method>[];
  readonly gatewayResponses: ReadonlyMap<string, FixedResponse>;
  /** By logical id. */
  readonly functions: ReadonlyMap<string, FunctionDefinition>;
  readonly clients: readonly AppClient[];
}

const readPaths = ({ template }: Assembly): Map<string, string> => {
  const resources = new Map(
    resourcesOf(template, 'AWS::ApiGateway::Resource').map(([id, properties]) => [
      id,
      evaluate(properties),
    ]),
  );
  const pathOf = (id: string): string => {
    const resource = resources.get(id);
    return resource ? `${pathOf(resource.ParentId)}/${resource.PathPart}` : '';
  };
  const [apiId] = onlyResourceOf(template, 'AWS::ApiGateway::RestApi');
  return new Map([
    [`${apiId}.RootResourceId`, '/'],
    ...[...resources.keys()].map(id => [id, pathOf(id)] as const),
  ]);
};

const invocation = /:lambda:path\/2015-03-31\/functions\/(\w+)\.Arn\/invocations$/;
/** The default of API Gateway, in milliseconds. */
const defaultTimeout = 29_000;
const readScopes = ({ AuthorizationType, AuthorizationScopes = [] }: Properties, where: string) => {
  if (AuthorizationType === 'NONE') return {};
  if (AuthorizationType === 'COGNITO_USER_POOLS' && AuthorizationScopes.length > 0)
    return { scopes: AuthorizationScopes };
  throw new Error(
    `The local server does not support the authorization ${AuthorizationType} without scopes (${where}).`,
  );
};

const readMethod = (properties: Properties, where: string): Omit<Method, 'throttle'> => {
  const integration = properties.Integration;
  const scopes = readScopes(properties, where);
  if (integration.Type === 'MOCK') return { ...scopes, target: { mock: readMock(integration) } };
  const name = invocation.exec(integration.Uri ?? '')?.[1];
  if (integration.Type !== 'AWS_PROXY' || !name)
    throw new Error(`The local server does not support this integration (${where}).`);
  return {
    ...scopes,
    target: { function: name, timeout: integration.TimeoutInMillis ?? defaultTimeout },
  };
};

const readResources = (assembly: Assembly): Route<Method>[] => {
  const paths = readPaths(assembly);
  const throttleOf = readThrottles(assembly.template);
  const methods = new Map<string, Map<string, Method>>();
  for (const [id, raw] of resourcesOf(assembly.template, 'AWS::ApiGateway::Method')) {
    const properties = evaluate(raw);
    const { HttpMethod: method, ResourceId } = properties;
    const path = paths.get(ResourceId);
    if (path === undefined)
      throw new Error(`The resource of the method ${id} is not in the template.`);
    const read = {
      throttle: throttleOf(method, path),
      ...readMethod(properties, `${method} ${path}`),
    };
    methods.set(path, (methods.get(path) ?? new Map()).set(method, read));
  }
  return [...methods].map(([path, ofPath]) => ({ path, methods: ofPath }));
};

const readGatewayResponses = ({ template }: Assembly): Map<string, FixedResponse> =>
  new Map(
    resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').map(([, properties]) => {
      const { ResponseType, StatusCode, ResponseParameters, ResponseTemplates } = properties;
      const body = ResponseTemplates['application/json'];
      return [
        ResponseType,
        { status: Number(StatusCode), headers: readHeaders(ResponseParameters), body },
      ];
    }),
  );

const readFunctions = ({ template, assets }: Assembly): Map<string, FunctionDefinition> =>
  new Map(
    resourcesOf(template, 'AWS::Lambda::Function').map(([id, raw]) => {
      const {
        Code,
        Environment,
        Handler: handler,
        LoggingConfig,
        MemorySize: memory,
        Timeout: timeout,
      } = evaluate(raw);
      const code = assets.get(Code.S3Key);
      if (!code) throw new Error(`The assets do not contain the code of ${id}.`);
      if (LoggingConfig?.LogFormat !== 'JSON')
        throw new Error(`The local server supports only the log format JSON (${id}).`);
      const logLevel = LoggingConfig.ApplicationLogLevel.toLowerCase();
      return [
        id,
        { name: id, code, handler, timeout, memory, environment: Environment.Variables, logLevel },
      ];
    }),
  );

const secondsPer: Record<string, number> = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };

/** In a scope SERVER/NAME, SERVER is a logical id in the template, an `Identifier` in a token. A client's id is its name. */
const readClients = ({ template }: Assembly): AppClient[] => {
  const servers = new Map(
    resourcesOf(template, 'AWS::Cognito::UserPoolResourceServer').map(([id, { Identifier }]) => [
      id,
      Identifier,
    ]),
  );
  return resourcesOf(template, 'AWS::Cognito::UserPoolClient').map(([, raw]) => {
    const { ClientName, AllowedOAuthScopes, AccessTokenValidity, TokenValidityUnits } =
      evaluate(raw);
    const scopes = AllowedOAuthScopes.map((scope: string) => {
      const [server = '', name] = scope.split('/');
      return `${servers.get(server) ?? server}/${name}`;
    });
    return {
      id: ClientName,
      scopes,
      lifetime: AccessTokenValidity * secondsPer[TokenValidityUnits.AccessToken]!,
    };
  });
};

/** @throws at a resource or property that is not supported */
export const readApi = (assembly: Assembly): Api => {
  // Throws for a type that is neither served nor safe to ignore.
  for (const { Type } of Object.values(assembly.template.Resources)) checkType(Type);
  const [id, { MinimumCompressionSize }] = onlyResourceOf(
    assembly.template,
    'AWS::ApiGateway::RestApi',
  );
  const [, stage] = onlyResourceOf(assembly.template, 'AWS::ApiGateway::Stage');
  return {
    id,
    stage: stage.StageName,
    minimumCompressionSize: MinimumCompressionSize ?? Number.POSITIVE_INFINITY,
    resources: readResources(assembly),
    gatewayResponses: readGatewayResponses(assembly),
    functions: readFunctions(assembly),
    clients: readClients(assembly),
  };
};
