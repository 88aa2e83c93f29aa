/** One change of meaning, and the tests that must notice it. */
export interface Mutant {
  /** The file, and what its code no longer does. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
  readonly killer: Killer;
  /** Why no test can tell it from the original. */
  readonly equivalent?: string | undefined;
}

/** Of a test file, those tests whose full name contains a text; all of them without one. */
export interface Killer {
  readonly file: string;
  readonly name: string | undefined;
}

/** What no longer holds, a piece of code, what takes its place, and who notices where that is not who notices the others. */
type Row = readonly [what: string, from: string, to: string, killer?: string];

/** `faults` is test/api/faults.test.ts; `faults: a batch` are its tests about a batch. */
const killerOf = (text: string): Killer => {
  const [path, name] = text.split(/: (.*)/s);
  return { file: `test/${path}.test.ts`, name };
};

/** @param reasons of those that no test can tell from the original, by what they say */
export const mutantsOf = (
  file: string,
  killer: string,
  rows: readonly Row[],
  reasons: Readonly<Record<string, string>> = {},
): Mutant[] =>
  rows.map(([what, from, to, own]) => ({
    name: `${file}: ${what}`,
    ...{ file, from, to },
    killer: killerOf(own ?? killer),
    equivalent: reasons[what],
  }));

/** @throws when the code does not stand there exactly once: the mutant is out of date */
export const mutated = (source: string, { name, from, to }: Mutant): string => {
  const parts = source.split(from);
  if (parts.length !== 2)
    throw new Error(
      `${name}: its code is there ${parts.length - 1} times, and must be once. Bring it up to date.\n${from}`,
    );
  return parts.join(to);
};
