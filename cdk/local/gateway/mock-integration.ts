/** A mock integration, read from the template. */
export interface Mock {
  readonly status: number;
  /** Header → mapping expression. */
  readonly headers: Record<string, string>;
  readonly body: string;
  /** Media types with a request template; a request of another one is refused with 415. */
  readonly mediaTypes: readonly string[];
}

export interface MockIntegration {
  PassthroughBehavior?: string;
  RequestTemplates?: Record<string, string>;
  IntegrationResponses?: {
    StatusCode: string;
    ResponseParameters?: Record<string, string>;
    ResponseTemplates?: Record<string, string>;
  }[];
}

/**
 * Whether a mock has a request template for a Content-Type, absent standing for JSON. Compared without parameters; that AWS
 * does so is likely, and not documented: see answeredTypes in cdk/stack/media-types.ts.
 */
export const takes = ({ mediaTypes }: Mock, contentType: string | undefined): boolean => {
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() || 'application/json';
  return mediaTypes.includes(mediaType);
};

/** Reads a mock with a fixed answer; the language of templates (VTL) is not known here. @throws at anything else */
export const readMock = (integration: MockIntegration): Mock => {
  const { PassthroughBehavior, RequestTemplates = {}, IntegrationResponses = [] } = integration;
  const [response, ...others] = IntegrationResponses;
  const asked = new Set(Object.values(RequestTemplates).map(template => String(JSON.parse(template).statusCode)));
  if (PassthroughBehavior !== 'NEVER' || !response || others.length > 0 || [...asked].join() !== response.StatusCode) {
    throw new Error(
      'The local server knows mocks with passthrough NEVER and one response, whose status every request template asks for.',
    );
  }
  const body = response.ResponseTemplates?.['application/json'] ?? '';
  if (/[#$]/.test(body)) throw new Error(`The local server does not know this VTL: ${body}`);
  return {
    status: Number(response.StatusCode),
    headers: Object.fromEntries(
      Object.entries(response.ResponseParameters ?? {}).map(([name, value]) => [
        name.replace('method.response.header.', ''),
        value,
      ]),
    ),
    body,
    mediaTypes: Object.keys(RequestTemplates),
  };
};
