import type { Resource } from './template.ts';

/** A gateway response, or the response of a mock integration. */
export interface FixedResponse {
  readonly status: number;
  /** Header → mapping expression. */
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface Mock extends FixedResponse {
  /** Those with a request template. Any other gets 415. */
  readonly mediaTypes: readonly string[];
}

/** Reads parameters such as `gatewayresponse.header.Allow`. */
export const readHeaders = (parameters: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name.replace(/^.*\.header\./, ''), value]),
  );

/** @throws at anything but a fixed response, such as VTL */
export const readMock = (integration: Resource['Properties']): Mock => {
  const { PassthroughBehavior, RequestTemplates = {}, IntegrationResponses = [] } = integration;
  const [response, ...others] = IntegrationResponses;
  const statuses = new Set(
    Object.values<string>(RequestTemplates).map(text => `${JSON.parse(text).statusCode}`),
  );
  if (
    PassthroughBehavior !== 'NEVER' ||
    others.length > 0 ||
    [...statuses].join() !== response?.StatusCode
  )
    throw new Error(
      'The local server supports only mocks with passthrough NEVER and one response, whose status every request template has.',
    );
  const body = response.ResponseTemplates?.['application/json'] ?? '';
  if (/[#$]/.test(body)) throw new Error(`The local server does not support this VTL: ${body}`);
  const headers = readHeaders(response.ResponseParameters);
  return {
    status: Number(response.StatusCode),
    headers,
    body,
    mediaTypes: Object.keys(RequestTemplates),
  };
};
