export type Pattern = (value: unknown) => boolean;

const readAlternative = (alternative: unknown): Pattern => {
  if (typeof alternative === 'string') return value => value === alternative;
  const [[comparison, operand] = [], ...others] = Object.entries(alternative as object);
  if (others.length === 0 && comparison === 'anything-but') {
    const names = [operand].flat();
    // No comparison matches an absent value.
    return value => value !== undefined && !names.includes(value);
  }
  if (others.length === 0 && comparison === 'prefix' && typeof operand === 'string')
    return value => typeof value === 'string' && value.startsWith(operand);
  throw new Error(`The local server does not support this filter: ${JSON.stringify(alternative)}`);
};

/**
 * Reads a filter of a mapping or the event pattern of a rule: every field must match one of its alternatives (Lambda developer
 * guide, "Filter rule syntax"; EventBridge user guide, "Creating EventBridge event patterns").
 * @throws at a comparison that is not supported
 */
export const readPattern = (pattern: object): Pattern => {
  if (Array.isArray(pattern)) {
    const alternatives = pattern.map(readAlternative);
    return value => alternatives.some(matches => matches(value));
  }
  const fields = Object.entries(pattern).map(
    ([name, inner]) => [name, readPattern(inner)] as const,
  );
  return value =>
    fields.every(([name, matches]) =>
      matches((value as Record<string, unknown> | undefined)?.[name]),
    );
};
