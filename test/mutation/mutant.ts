/** A mutant: one change of the code, and the tests that must kill it. */
export interface Mutant {
  /** The file and the changed behavior. */
  readonly name: string;
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly from: string;
  readonly to: string;
  readonly test: KillingTest;
  /** Why the mutant is equivalent to the original, if it is. */
  readonly equivalent?: string | undefined;
}

/** The tests of a file whose full name contains `name`, or all of them. */
export interface KillingTest {
  readonly file: string;
  readonly name: string | undefined;
}

/** The changed behavior, the code, its replacement, and the test if it is not that of the other rows. */
type Row = readonly [behavior: string, from: string, to: string, test?: string];

/** `api/faults` is test/api/faults.test.ts; `api/faults: a batch` are its tests whose names contain "a batch". */
const killingTestOf = (text: string): KillingTest => {
  const [path, name] = text.split(/: (.*)/s);
  return { file: `test/${path}.test.ts`, name };
};

/** @param reasons of equivalent mutants, by their behavior */
export const mutantsOf = (
  file: string,
  test: string,
  rows: readonly Row[],
  reasons: Readonly<Record<string, string>> = {},
): Mutant[] =>
  rows.map(([behavior, from, to, own]) => ({
    name: `${file}: ${behavior}`,
    ...{ file, from, to },
    test: killingTestOf(own ?? test),
    equivalent: reasons[behavior],
  }));

/** @throws when the code does not occur exactly once: the mutant is out of date */
export const applyMutant = (source: string, { name, from, to }: Mutant): string => {
  const parts = source.split(from);
  if (parts.length !== 2)
    throw new Error(`${name}: its code occurs ${parts.length - 1} times, expected 1. Update the mutant.\n${from}`);
  return parts.join(to);
};
