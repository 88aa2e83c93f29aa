/** How the name of each category begins that a verification makes. Whoever finds one may delete it with its pets. */
export const mark = 'npm run verify, safe to delete: ';

/** What a run has made, and what its checks tell each other. */
export interface Made {
  /** Of this run alone; idempotency keys and names have it. */
  readonly run: string;
  readonly categories: Set<number>;
  readonly pets: Set<number>;
  readonly orders: Set<number>;
  readonly notes: Map<string, string>;
}

export const nothingMade = (run: string): Made => ({
  run,
  categories: new Set(),
  pets: new Set(),
  orders: new Set(),
  notes: new Map(),
});

/** An earlier check did not leave what this one asks with. */
export class NotThere extends Error {}

/** What an earlier check noted. @throws {NotThere} */
export const noted = ({ notes }: Made, name: string): string => {
  const note = notes.get(name);
  if (note === undefined) throw new NotThere(`no ${name}: an earlier check failed`);
  return note;
};
