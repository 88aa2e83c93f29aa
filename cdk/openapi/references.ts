import type { DocumentedResponse } from './document-types.ts';
import type { DocumentedHeader } from './response-headers.ts';

export const ref = (part: string, name: string) => ({ $ref: `#/components/${part}/${name}` });

export const headersNamed = (headers: readonly DocumentedHeader[]): DocumentedResponse['headers'] =>
  Object.fromEntries(
    headers
      .map(header => (typeof header === 'string' ? ([header, header] as const) : header))
      .map(([name, component]) => [name, ref('headers', component)]),
  );
