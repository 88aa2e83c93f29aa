/** Whether a value is one that a filter lets through. */
export type Pattern = (value: unknown) => boolean;

const readAlternative = (alternative: unknown): Pattern => {
  if (typeof alternative === 'string') return value => value === alternative;
  const { 'anything-but': excluded, ...others } = alternative as Record<string, unknown>;
  if (excluded === undefined || Object.keys(others).length > 0)
    throw new Error(`The local server does not know this filter: ${JSON.stringify(alternative)}`);
  const names = [excluded].flat();
  // Of a value that is there: no comparison matches one that is not.
  return value => value !== undefined && !names.includes(value);
};

/**
 * A filter of an event source mapping: fields that are all to match, each with its alternatives
 * (Lambda developer guide, "Filter rule syntax").
 * @throws at a rule that is not known here
 */
export const readPattern = (pattern: object): Pattern => {
  if (Array.isArray(pattern)) {
    const alternatives = pattern.map(readAlternative);
    return value => alternatives.some(matches => matches(value));
  }
  const fields = Object.entries(pattern).map(([name, inner]) => [name, readPattern(inner)] as const);
  return value => fields.every(([name, matches]) => matches((value as Record<string, unknown> | undefined)?.[name]));
};
