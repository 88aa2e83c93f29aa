import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type ErrorName, errors, headersOf, toBody } from '../../lib/errors.ts';
import { commonHeaders } from '../../lib/http/common-headers.ts';

/** The error for each type of response that API Gateway itself returns. DEFAULT_4XX and DEFAULT_5XX cover the other types. */
const errorByType = new Map<ResponseType, ErrorName>([
  [ResponseType.ACCESS_DENIED, 'forbidden'],
  [ResponseType.API_CONFIGURATION_ERROR, 'internal_error'],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, 'internal_error'],
  [ResponseType.AUTHORIZER_FAILURE, 'internal_error'],
  [ResponseType.BAD_REQUEST_BODY, 'invalid_request'],
  [ResponseType.BAD_REQUEST_PARAMETERS, 'invalid_request'],
  [ResponseType.EXPIRED_TOKEN, 'unauthenticated'],
  // The function failed, or Lambda did not run it. AWS documents that the second case returns 500 by default (Lambda developer
  // guide, "Handling Lambda errors with an API Gateway API"), but not the response type. INTEGRATION_FAILURE was observed
  // (repost.aws, "Inconsistencies in response codes depending on whether API Gateway response settings are configured").
  [ResponseType.INTEGRATION_FAILURE, 'bad_gateway'],
  [ResponseType.INTEGRATION_TIMEOUT, 'timeout'],
  [ResponseType.INVALID_API_KEY, 'forbidden'],
  [ResponseType.INVALID_SIGNATURE, 'unauthenticated'],
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, 'not_found'],
  [ResponseType.QUOTA_EXCEEDED, 'too_many_requests'],
  // API Gateway accepts a text for this type, but is known to return its own: it rejects large bodies before they reach the API.
  [ResponseType.REQUEST_TOO_LARGE, 'payload_too_large'],
  [ResponseType.RESOURCE_NOT_FOUND, 'not_found'],
  [ResponseType.THROTTLED, 'too_many_requests'],
  [ResponseType.UNAUTHORIZED, 'unauthenticated'],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'unsupported_media_type'],
  [ResponseType.DEFAULT_4XX, 'invalid_request'],
  [ResponseType.DEFAULT_5XX, 'internal_error'],
]);

/** The headers of a response that no function returns, as static mapping expressions. */
export const gatewayHeaders = (name?: ErrorName): Record<string, string> => {
  const headers = { ...commonHeaders, 'Cache-Control': 'no-store', ...(name && headersOf(name)) };
  return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, `'${value}'`]));
};

/**
 * Lets the gateway return its errors as Error objects. A template can substitute only `$context` variables, so each response type
 * has a literal status and message.
 * @param limitsAddresses whether the stage has the AWS WAF rule of web-acl.ts: a blocked request then gets 429 instead of 403
 */
export const addGatewayResponses = (api: RestApi, limitsAddresses: boolean): void => {
  const filtered: ErrorName = limitsAddresses ? 'too_many_requests' : 'forbidden';
  for (const [type, name] of [...errorByType, [ResponseType.WAF_FILTERED, filtered] as const]) {
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(errors[name].status),
      responseHeaders: { ...gatewayHeaders(name), 'X-Request-Id': 'context.requestId' },
      templates: { 'application/json': JSON.stringify(toBody(name)) },
    });
  }
};
