/** The message of a failed check. It never has the value itself. */
export const expected = (what: string) => ({
  error: (issue: { input?: unknown }) =>
    issue.input === undefined ? 'required' : `expected ${what}`,
});
