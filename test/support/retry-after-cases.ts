/** Retry-After (RFC 9110, 10.2.3) → seconds to wait at `timeOfCases`, at most an hour; undefined: invalid. */
export const timeOfCases = Date.parse('2027-03-01T12:30:45Z');
export const retryAfterCases: readonly (readonly [value: string, seconds: number | undefined])[] = [
  ['30', 30],
  ['0', 0],
  ['99999999999', 3_600],
  ['Mon, 01 Mar 2027 12:31:15 GMT', 30],
  ['Mon, 01 Mar 2027 12:30:15 GMT', 0],
  ['Tue, 02 Mar 2027 12:30:45 GMT', 3_600],
  // Obsolete formats, but valid.
  ['Monday, 01-Mar-27 12:31:15 GMT', 30],
  ['Mon Mar  1 12:31:15 2027', 30],
  ['-1', undefined],
  ['1.5', undefined],
  ['nonsense', undefined],
  ['1/2/2030', undefined],
  ['2027-03-01T12:31:15Z', undefined],
];
