const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

const sorted = (_: string, value: unknown) =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(byKey))
    : value;

/** JSON with sorted keys: equal for equal values. */
export const canonical = (value: unknown): string => JSON.stringify(value, sorted) ?? 'nothing';
