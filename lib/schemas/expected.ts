/** The message of a failed check: `required` if the value is absent, else what was expected. It never has the value itself. */
export const expected = (what: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? 'required' : `expected ${what}`),
});
