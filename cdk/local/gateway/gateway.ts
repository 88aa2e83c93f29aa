import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claims } from '../auth/authorizer.ts';
import { isDebugged, type LambdaFunction } from '../lambda/lambda-function.ts';
import type { RequestJournal } from '../request-log.ts';
import type { Api, Method } from './api.ts';
import { compress, decompress } from './compression.ts';
import { type Match, match } from './match-route.ts';
import { takes } from './mock-integration.ts';
import { buildEvent, type GatewayRequest, parseQuery } from './proxy-event.ts';
import { type GatewayResult, gatewayResult, mockResult, proxyResult, refusedByAws } from './response.ts';
import { createThrottle } from './throttle.ts';

/** The largest body that API Gateway takes, and the most that all values of a request's headers may have, in bytes. */
export const maxPayload = 10 * 1024 * 1024;
const maxHeaderValues = 10_240;

/**
 * What AWS refuses before the API: "Customizing the default gateway response for 413 isn't supported" (developer guide,
 * "Amazon API Gateway important notes"). How it refuses overlong headers is not documented.
 */
const refusalByAws = ({ headers, body }: GatewayRequest): GatewayResult | undefined => {
  if (Buffer.byteLength(body) > maxPayload) return refusedByAws(413, 'Request Too Long');
  const bytes = headers.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
  return bytes > maxHeaderValues ? refusedByAws(431, null) : undefined;
};

/** A request as it came over the wire. */
export type IncomingRequest = Omit<GatewayRequest, 'requestId' | 'body'> & { readonly body: Buffer };

const headerOf = (request: Pick<GatewayRequest, 'headers'>, name: string): string | undefined =>
  request.headers.findLast(([key]) => key.toLowerCase() === name)?.[1];

const isWellFormed = (query: string): boolean => {
  try {
    parseQuery(query);
    return true;
  } catch {
    return false;
  }
};

/**
 * Answers requests as API Gateway would for this template: route, throttle, authoriser, integration.
 * @param authorise gives the claims of a token that is good for one of the scopes
 * @param functionOf gives the running function of a logical id
 * @param report is told what Lambda would have logged about a function that failed
 * @param arrive hears of every request, and of its answer
 */
export const createGateway = (
  api: Api,
  authorise: (authorization: string | undefined, scopes: readonly string[]) => Promise<Claims | undefined>,
  functionOf: (id: string) => LambdaFunction,
  report: (error: unknown) => void,
  arrive: RequestJournal['arrive'] = () => () => undefined,
) => {
  const methods = api.resources.flatMap(resource => [...resource.methods.values()]);
  const mayPass = new Map(methods.map(method => [method, createThrottle(method.throttle)]));

  const invoke = async (
    id: string,
    request: GatewayRequest,
    { resource, parameters }: Match<Method>,
    claims: Claims | undefined,
  ): Promise<GatewayResult | undefined> => {
    const context = { resource: resource.path, parameters, stage: api.stage, apiId: api.id, claims };
    try {
      const result = proxyResult(await functionOf(id).invoke(buildEvent(request, context)));
      if (!result) report(new Error(`${id} gave a malformed proxy response`));
      return result;
    } catch (error) {
      report(error);
      return undefined;
    }
  };

  const answer = async (request: GatewayRequest): Promise<GatewayResult> => {
    const refuse = (type: string) => gatewayResult(api.gatewayResponses, type, request.requestId);
    const refusal = refusalByAws(request);
    if (refusal) return refusal;
    const found = match(api.resources, request.method, request.path);
    if (!found) return refuse('MISSING_AUTHENTICATION_TOKEN');
    // Before the authoriser: in which order AWS does it is not documented, and this one lets less through.
    if (!mayPass.get(found.method)!()) return refuse('THROTTLED');
    if (!isWellFormed(request.query)) return refuse('BAD_REQUEST_PARAMETERS');

    const { target, scopes } = found.method;
    const claims = scopes && (await authorise(headerOf(request, 'authorization'), scopes));
    if (scopes && !claims) return refuse('UNAUTHORIZED');
    if ('mock' in target)
      return takes(target.mock, headerOf(request, 'content-type'))
        ? mockResult(target.mock, request.requestId)
        : refuse('UNSUPPORTED_MEDIA_TYPE');
    const answered = invoke(target.function, request, found, claims);
    const timeout = sleep(target.timeout, 'timeout' as const, { ref: false });
    const result = await (isDebugged() ? answered : Promise.race([answered, timeout]));
    if (result === 'timeout') return refuse('INTEGRATION_TIMEOUT');
    return result ? { ...result, ofFunction: true } : refuse('INTEGRATION_FAILURE');
  };

  return async (request: IncomingRequest): Promise<GatewayResult> => {
    const { minimumCompressionSize: minimum } = api;
    const method = headerOf(request, 'x-http-method-override')?.toUpperCase() || request.method;
    const requestId = randomUUID();
    const target = request.query ? `${request.path}?${request.query}` : request.path;
    const depart = arrive({ requestId, method, target });
    const decoded = decompress(request.body, headerOf(request, 'content-encoding'), { minimum, maximum: maxPayload });
    const headers = request.headers.filter(
      ([name]) => decoded === request.body || name.toLowerCase() !== 'content-encoding',
    );
    const result = decoded
      ? await answer({ ...request, headers, body: decoded.toString(), method, requestId })
      : gatewayResult(api.gatewayResponses, 'UNSUPPORTED_MEDIA_TYPE', requestId);
    depart({ status: result.status, body: result.body, byFunction: result.ofFunction ?? false });
    const sent = compress(result, headerOf(request, 'accept-encoding') ?? '', minimum);
    return { ...sent, headers: [...sent.headers, ['x-amzn-RequestId', requestId]] };
  };
};
