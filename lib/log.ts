let coldStart = true;

/** Milliseconds since a time of `performance.now()`, with one digit of a fraction: the field `durationMs` of every line. */
export const millisecondsSince = (startedAt: number): number => Math.round((performance.now() - startedAt) * 10) / 10;

/**
 * Writes one structured line, which Lambda's JSON format nests under `message`. Saved queries and metric filters read its
 * fields (cdk/config/log-queries.ts). The first line of a process has `coldStart: true`.
 */
export const log = (level: 'info' | 'warn' | 'error', fields: object): void => {
  console[level]({ ...fields, coldStart });
  coldStart = false;
};
