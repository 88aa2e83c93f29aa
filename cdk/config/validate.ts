import * as z from 'zod';

/** The message is for a person, who needs no stack trace. */
export class SettingsError extends Error {}

/** @param path such as `domain.name` */
export type Report = (path: string, expected: string, given: unknown) => void;

export const like = (example: string, pattern: RegExp) => {
  const expected = `a value such as ${example}`;
  return z.string(expected).regex(pattern, expected);
};

export const integer = (least: number, most: number) => {
  const expected = `an integer from ${least} to ${most}`;
  return z.int(expected).min(least, expected).max(most, expected);
};

/** For schemas without a message of their own. */
const expectedByType: z.core.$ZodErrorMap = issue => {
  if (issue.code === 'invalid_type')
    return `${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`;
  return undefined;
};

const line = (path: readonly PropertyKey[], expected: string, given: unknown) =>
  `${path.join('.')}: expected ${expected}, got ${given === undefined ? 'nothing' : JSON.stringify(given)}`;

const linesOf = (issue: z.core.$ZodIssue): string[] => {
  const { code, path, input, message } = issue;
  if (code === 'unrecognized_keys')
    return issue.keys.map(key =>
      line([...path, key], 'to be absent, because there is no such setting', Object(input)[key]),
    );
  if (code === 'invalid_key') return issue.issues.map(inner => line(path, inner.message, input));
  return [line(path, message, input)];
};

/**
 * The schema's messages become parts of lines such as `region: expected a value such as eu-west-1, got "Ireland"`.
 * @param check reports what is wrong in a value that the schema accepts
 * @throws with the heading and a line for each issue
 */
export const validate = <T>(
  schema: z.ZodType<T>,
  value: unknown,
  heading: string,
  check: (data: T, report: Report) => void = () => undefined,
): T => {
  const { success, data, error } = schema.safeParse(value, {
    reportInput: true,
    error: expectedByType,
  });
  const lines = success ? [] : error.issues.flatMap(linesOf);
  if (success) check(data, (path, expected, given) => lines.push(line([path], expected, given)));
  if (!success || lines.length > 0) throw new SettingsError([heading, ...lines].join('\n  '));
  return data;
};
