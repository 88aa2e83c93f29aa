let coldStart = true;

/** Since a time of `performance.now()`, with one decimal place. Every log line has this as `durationMs`. */
export const millisecondsSince = (startedAt: number): number =>
  Math.round((performance.now() - startedAt) * 10) / 10;

/**
 * Lambda's JSON format puts the fields under `message`, where saved queries (cdk/config/log-queries.ts) and metric filters
 * (cdk/stack/) read them. Only the first line of a process has `coldStart: true`.
 */
export const log = (level: 'info' | 'warn' | 'error', fields: object): void => {
  console[level]({ ...fields, coldStart });
  coldStart = false;
};
