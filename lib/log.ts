let coldStart = true;

/** Milliseconds since a time of `performance.now()`, with one decimal place. Every log line has them as `durationMs`. */
export const millisecondsSince = (startedAt: number): number => Math.round((performance.now() - startedAt) * 10) / 10;

/**
 * Writes one structured line. Lambda's JSON format puts the fields under `message`. Saved queries (cdk/config/log-queries.ts) and
 * metric filters (cdk/stack/) read the fields. Only the first line of a process has `coldStart: true`.
 */
export const log = (level: 'info' | 'warn' | 'error', fields: object): void => {
  console[level]({ ...fields, coldStart });
  coldStart = false;
};
