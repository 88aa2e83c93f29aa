/** A mock integration of the template. */
export interface Mock {
  readonly status: number;
  /** Header → mapping expression. */
  readonly headers: Record<string, string>;
  readonly body: string;
  /** The media types with a request template. Any other is a 415. */
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
 * Whether a mock has a request template for a Content-Type; the default is JSON. Parameters are ignored. AWS probably does the
 * same, but does not document it: see cdk/stack/media-types.ts.
 */
export const acceptsContentType = ({ mediaTypes }: Mock, contentType: string | undefined): boolean => {
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() || 'application/json';
  return mediaTypes.includes(mediaType);
};

/** Reads a mock with a fixed response. @throws at anything else, such as VTL */
export const readMock = (integration: MockIntegration): Mock => {
  const { PassthroughBehavior, RequestTemplates = {}, IntegrationResponses = [] } = integration;
  const [response, ...others] = IntegrationResponses;
  const requestedStatuses = new Set(
    Object.values(RequestTemplates).map(template => String(JSON.parse(template).statusCode)),
  );
  if (
    PassthroughBehavior !== 'NEVER' ||
    !response ||
    others.length > 0 ||
    [...requestedStatuses].join() !== response.StatusCode
  ) {
    throw new Error(
      'The local server supports only mocks with passthrough NEVER and one response, whose status every request template has.',
    );
  }
  const body = response.ResponseTemplates?.['application/json'] ?? '';
  if (/[#$]/.test(body)) throw new Error(`The local server does not support this VTL: ${body}`);
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
