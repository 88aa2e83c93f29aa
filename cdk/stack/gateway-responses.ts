import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type ErrorName, errors, headersOf, toBody } from '../../lib/errors.ts';
import { commonHeaders } from '../../lib/http/common-headers.ts';

/** DEFAULT_4XX and DEFAULT_5XX cover the other types. */
const errorByType = new Map<ResponseType, ErrorName>([
  [ResponseType.ACCESS_DENIED, 'forbidden'],
  [ResponseType.API_CONFIGURATION_ERROR, 'internal_error'],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, 'internal_error'],
  [ResponseType.AUTHORIZER_FAILURE, 'internal_error'],
  [ResponseType.BAD_REQUEST_BODY, 'invalid_request'],
  [ResponseType.BAD_REQUEST_PARAMETERS, 'invalid_request'],
  [ResponseType.EXPIRED_TOKEN, 'unauthenticated'],
  // The function failed, or Lambda did not run it: then the default is 500 (Lambda developer guide, "Handling Lambda errors with
  // an API Gateway API"). AWS does not document the type; this one was observed (repost.aws, "Inconsistencies in response codes
  // depending on whether API Gateway response settings are configured").
  [ResponseType.INTEGRATION_FAILURE, 'bad_gateway'],
  [ResponseType.INTEGRATION_TIMEOUT, 'timeout'],
  [ResponseType.INVALID_API_KEY, 'forbidden'],
  [ResponseType.INVALID_SIGNATURE, 'unauthenticated'],
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, 'not_found'],
  [ResponseType.QUOTA_EXCEEDED, 'too_many_requests'],
  // API Gateway is known to return a text of its own, because it rejects large bodies before they reach the API.
  [ResponseType.REQUEST_TOO_LARGE, 'payload_too_large'],
  [ResponseType.RESOURCE_NOT_FOUND, 'not_found'],
  [ResponseType.THROTTLED, 'too_many_requests'],
  [ResponseType.UNAUTHORIZED, 'unauthenticated'],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'unsupported_media_type'],
  [ResponseType.DEFAULT_4XX, 'invalid_request'],
  [ResponseType.DEFAULT_5XX, 'internal_error'],
]);

/** Static mapping expressions, for responses that no function returns. */
export const gatewayHeaders = (name?: ErrorName): Record<string, string> => {
  const headers = { ...commonHeaders, 'Cache-Control': 'no-store', ...(name && headersOf(name)) };
  return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, `'${value}'`]));
};

/**
 * Each type has a literal status and message, because a template can substitute only `$context` variables.
 * @param limitsAddresses whether a request that web-acl.ts blocks gets 429 instead of 403
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
