/** The message of a failed check: `required` without a value, else what was expected. Never the value itself. */
export const expected = (what: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? 'required' : `expected ${what}`),
});
