/** A mock integration, read from the template. */
export interface Mock {
  readonly status: number;
  /** Header → mapping expression. */
  readonly headers: Record<string, string>;
  /** Headers that the response template sets to `$context.requestId`. */
  readonly overrides: readonly string[];
  readonly body: string;
  /** Media types with a request template; a request of another one is refused with 415. */
  readonly accepts: readonly string[];
}

const override = /#set\(\$context\.responseOverride\.header\.([A-Za-z-]+) = \$context\.requestId\)/g;

export interface MockIntegration {
  PassthroughBehavior?: string;
  RequestTemplates?: Record<string, string>;
  IntegrationResponses?: {
    StatusCode: string;
    ResponseParameters?: Record<string, string>;
    ResponseTemplates?: Record<string, string>;
  }[];
}

/** Reads the two templates of our mocks. Of VTL only the override of a header by the request id is known. @throws at anything else */
export const readMock = (integration: MockIntegration): Mock => {
  const { PassthroughBehavior, RequestTemplates = {}, IntegrationResponses = [] } = integration;
  const [response, ...others] = IntegrationResponses;
  const { statusCode } = JSON.parse(RequestTemplates['application/json'] ?? '{}');
  if (PassthroughBehavior !== 'NEVER' || !response || others.length > 0 || String(statusCode) !== response.StatusCode) {
    throw new Error(
      'The local server knows mocks with passthrough NEVER and one response whose status is the request template’s.',
    );
  }
  const template = response.ResponseTemplates?.['application/json'] ?? '';
  const body = template.replace(override, '');
  if (/[#$]/.test(body)) throw new Error(`The local server does not know this VTL: ${body}`);
  return {
    status: statusCode,
    headers: Object.fromEntries(
      Object.entries(response.ResponseParameters ?? {}).map(([name, value]) => [
        name.replace('method.response.header.', ''),
        value,
      ]),
    ),
    overrides: [...template.matchAll(override)].map(([, name]) => name!),
    body,
    accepts: Object.keys(RequestTemplates),
  };
};
