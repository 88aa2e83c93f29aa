/** What a failing check says: `required` when nothing was given, else what was expected. Never echoes the value. */
export const expected = (what: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? 'required' : `expected ${what}`),
});
