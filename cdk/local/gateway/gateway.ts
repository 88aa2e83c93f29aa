import { randomUUID } from 'node:crypto';
import type { Api } from '../../synthesis/api.ts';
import type { Claims } from '../auth/authorizer.ts';
import { isDebugged } from '../lambda/lambda-function.ts';
import type { RequestLog } from '../request-log.ts';
import { compress, decompress } from './compression.ts';
import { matchRoute } from './match-route.ts';
import { buildProxyEvent, type GatewayRequest, parseQuery } from './proxy-event.ts';
import {
  acceptsContentType,
  fixedResult,
  type GatewayResult,
  proxyResult,
  rejectedByAws,
} from './response.ts';
import { createThrottle } from './throttle.ts';

/** API Gateway's limits for a body, and for all header values of a request together, in bytes. */
export const maxPayload = 10 * 1024 * 1024;
const maxHeaderValues = 10_240;

/**
 * AWS rejects these before the API is involved: "Customizing the default gateway response for 413 isn't supported" (developer
 * guide, "Amazon API Gateway important notes"). The response to headers that are too long is not documented.
 */
const rejectionByAws = ({ headers, body }: GatewayRequest): GatewayResult | undefined => {
  if (Buffer.byteLength(body) > maxPayload) return rejectedByAws(413, 'Request Too Long');
  const bytes = headers.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
  return bytes > maxHeaderValues ? rejectedByAws(431, null) : undefined;
};

export type IncomingRequest = Omit<GatewayRequest, 'requestId' | 'body'> & {
  readonly body: Buffer;
};

const headerOf = (request: Pick<GatewayRequest, 'headers'>, name: string): string | undefined =>
  request.headers.findLast(([key]) => key.toLowerCase() === name)?.[1];

const orTimeout = async <T>(
  invocation: Promise<T>,
  milliseconds: number,
): Promise<T | 'timeout'> => {
  const { promise, resolve } = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(() => resolve('timeout'), milliseconds);
  try {
    return await Promise.race([invocation, promise]);
  } finally {
    clearTimeout(timer);
  }
};

interface Gateway {
  readonly api: Api;
  /** Returns the claims of a token that has one of the scopes. */
  readonly authorize: (
    authorization: string | undefined,
    scopes: readonly string[],
  ) => Promise<Claims | undefined>;
  readonly functionOf: (id: string) => { readonly invoke: (event: unknown) => Promise<unknown> };
  /** Gets the errors that functions throw (Lambda would log them) and malformed proxy responses. */
  readonly report: (error: unknown) => void;
  readonly onResponse?: RequestLog['onResponse'] | undefined;
}

export const createGateway = ({
  api,
  authorize,
  functionOf,
  report,
  onResponse = () => undefined,
}: Gateway) => {
  const methods = api.resources.flatMap(resource => [...resource.methods.values()]);
  const throttles = new Map(methods.map(method => [method, createThrottle(method.throttle)]));

  const gatewayResponseOf = (type: string, requestId: string): GatewayResult => {
    const response = api.gatewayResponses.get(type);
    if (!response) throw new Error(`The template has no gateway response ${type}.`);
    return fixedResult(response, requestId);
  };

  const invoke = async (id: string, event: unknown): Promise<GatewayResult | undefined> => {
    try {
      const result = proxyResult(await functionOf(id).invoke(event));
      if (!result) report(new Error(`${id} returned a malformed proxy response`));
      return result;
    } catch (error) {
      report(error);
      return undefined;
    }
  };

  const handle = async (request: GatewayRequest): Promise<GatewayResult> => {
    const gatewayResponse = (type: string) => gatewayResponseOf(type, request.requestId);
    const rejection = rejectionByAws(request);
    if (rejection) return rejection;
    const match = matchRoute(api.resources, request.method, request.path);
    if (!match) return gatewayResponse('MISSING_AUTHENTICATION_TOKEN');
    // The throttle comes before the authorizer. AWS does not document the order, and this one is stricter.
    if (!throttles.get(match.method)!()) return gatewayResponse('THROTTLED');
    if (!parseQuery(request.query)) return gatewayResponse('BAD_REQUEST_PARAMETERS');

    const { target, scopes } = match.method;
    const claims = scopes && (await authorize(headerOf(request, 'authorization'), scopes));
    if (scopes && !claims) return gatewayResponse('UNAUTHORIZED');
    if ('mock' in target)
      return acceptsContentType(target.mock, headerOf(request, 'content-type'))
        ? fixedResult(target.mock, request.requestId)
        : gatewayResponse('UNSUPPORTED_MEDIA_TYPE');
    const { resource, parameters } = match;
    const context = {
      resource: resource.path,
      parameters,
      stage: api.stage,
      apiId: api.id,
      claims,
    };
    const invocation = invoke(target.function, buildProxyEvent(request, context));
    const result = await (isDebugged() ? invocation : orTimeout(invocation, target.timeout));
    if (result === 'timeout') return gatewayResponse('INTEGRATION_TIMEOUT');
    return result ?? gatewayResponse('INTEGRATION_FAILURE');
  };

  return async (request: IncomingRequest): Promise<GatewayResult> => {
    const { minimumCompressionSize: minimum } = api;
    const startedAt = performance.now();
    const method = headerOf(request, 'x-http-method-override')?.toUpperCase() || request.method;
    const requestId = randomUUID();
    const decoded = decompress(request.body, headerOf(request, 'content-encoding'), {
      minimum,
      maximum: maxPayload,
    });
    const isSame = decoded === request.body;
    const headers = request.headers.filter(
      ([name]) => isSame || name.toLowerCase() !== 'content-encoding',
    );
    const result = decoded
      ? await handle({ ...request, headers, body: decoded.toString(), method, requestId })
      : gatewayResponseOf('UNSUPPORTED_MEDIA_TYPE', requestId);
    const { status, body } = result;
    const target = request.query ? `${request.path}?${request.query}` : request.path;
    onResponse({
      method,
      target,
      status,
      body,
      milliseconds: Math.round(performance.now() - startedAt),
    });
    const compressed = compress(result, headerOf(request, 'accept-encoding') ?? '', minimum);
    return { ...compressed, headers: [...compressed.headers, ['x-amzn-RequestId', requestId]] };
  };
};
