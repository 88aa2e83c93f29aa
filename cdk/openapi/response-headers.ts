import type { Operation } from '../../lib/operations/index.ts';

/** Headers of every answer of an operation's function, whatever the status. */
export const functionHeaders = ({ deprecated, stability }: Operation): string[] => [
  ...(deprecated ? ['Deprecation', 'Sunset', 'Successor-Link'] : []),
  ...(stability ? ['X-Stability-Level'] : []),
];

/** On every answer, whoever made it. */
export const commonHeaders = ['X-Request-Id', 'Access-Control-Allow-Origin', 'Cache-Control'];
