import { type IResource, MockIntegration, PassthroughBehavior } from 'aws-cdk-lib/aws-apigateway';
import { type ErrorName, errors, toBody } from '../../lib/errors.ts';
import { acceptPatch } from '../../lib/http/read-body.ts';
import { acknowledgePublic } from './acknowledge.ts';
import { gatewayHeaders } from './gateway-responses.ts';

/** The spellings of a charset in clients such as `fetch`, OkHttp, axios and jQuery. */
const charsets = ['', ';charset=UTF-8', '; charset=utf-8', ';charset=utf-8', '; charset=UTF-8'];

const texts = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/xml',
  'text/xml',
];

/**
 * With NEVER, a mock returns 415 for a type without a template (developer guide, "integration passthrough behaviors"). AWS does
 * not document whether `text/plain` also serves `text/plain;charset=UTF-8`. It probably does, because a template with a charset
 * never matches (aws-cdk#16323); the charsets are for the case that this is wrong. A multipart boundary cannot be predicted.
 */
const mediaTypes: readonly string[] = [
  ...texts.flatMap(type => charsets.map(charset => type + charset)),
  'application/merge-patch+json',
  'application/octet-stream',
  'multipart/form-data',
];

/**
 * With WHEN_NO_MATCH, a request of another media type would reach a mock without a template, and fail. Response parameters can
 * have `context` variables (developer guide, "method response header mapping"), so the headers need no response template.
 */
const addMock = (
  resource: IResource,
  verb: string,
  { status, headers, body }: { status: number; headers: Record<string, string>; body?: string },
) => {
  const responseParameters = Object.fromEntries(
    Object.entries({ ...headers, 'X-Request-Id': 'context.requestId' }).map(([name, value]) => [
      `method.response.header.${name}`,
      value,
    ]),
  );
  const statusCode = String(status);
  const template = JSON.stringify({ statusCode: status });
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(mediaTypes.map(type => [type, template])),
    integrationResponses: [
      {
        statusCode,
        responseParameters,
        ...(body && { responseTemplates: { 'application/json': body } }),
      },
    ],
  });
  const declared = Object.fromEntries(Object.keys(responseParameters).map(name => [name, true]));
  const mock = resource.addMethod(verb, integration, {
    methodResponses: [{ statusCode, responseParameters: declared }],
  });
  acknowledgePublic(
    mock,
    'A mock response: 404, 405 or a preflight, which browsers send without a token.',
  );
};

const addError = (resource: IResource, name: ErrorName, headers: Record<string, string> = {}) =>
  addMock(resource, 'ANY', {
    status: errors[name].status,
    headers: { ...gatewayHeaders(name), ...headers },
    body: JSON.stringify(toBody(name)),
  });

const allowed = (methods: readonly string[]) => `'${[...methods, 'OPTIONS'].join(', ')}'`;

export const addNotFound = (resource: IResource): void => addError(resource, 'not_found');

/** Without it, a method that a resource lacks reaches a path with a parameter: DELETE /pets/categories would reach deletePet. */
export const addMethodNotAllowed = (resource: IResource, methods: readonly string[]): void =>
  addError(resource, 'method_not_allowed', { Allow: allowed(methods) });

/** Seconds: the maximum of Chromium. */
const preflightMaxAge = 7200;

/**
 * Allows every method and header, so that a script in a browser can read a 404 or 405, and send a tracing header such as
 * `traceparent`. `*` does not include Authorization (Fetch standard, "CORS non-wildcard request-header name").
 * @param methods of the path (RFC 9110, section 9.3.7); none if it is unknown
 */
export const addPreflight = (resource: IResource, methods: readonly string[]): void =>
  addMock(resource, 'OPTIONS', {
    status: 204,
    headers: {
      ...gatewayHeaders(),
      ...(methods.length > 0 && { Allow: allowed(methods) }),
      ...(methods.includes('PATCH') && { 'Accept-Patch': `'${acceptPatch['Accept-Patch']}'` }),
      'Access-Control-Allow-Methods': "'GET,POST,PUT,PATCH,DELETE'",
      'Access-Control-Allow-Headers': "'*,Authorization'",
      'Access-Control-Max-Age': `'${preflightMaxAge}'`,
    },
  });
