/** The prefix of the name of each category that a run creates. Anyone may delete such a category with its pets. */
export const mark = 'npm run verify, safe to delete: ';

/** What a run has created, and what its checks note for later checks. */
export interface Created {
  /** Unique to this run. Its idempotency keys and names contain it. */
  readonly run: string;
  readonly categories: Set<number>;
  readonly pets: Set<number>;
  readonly orders: Set<number>;
  readonly notes: Map<string, string>;
}

export const nothingCreated = (run: string): Created => ({
  run,
  categories: new Set(),
  pets: new Set(),
  orders: new Set(),
  notes: new Map(),
});

/** A check cannot run, because what it needs is missing. */
export class SkippedError extends Error {}

/** The note of an earlier check. @throws {SkippedError} when there is none */
export const noted = ({ notes }: Created, name: string): string => {
  const note = notes.get(name);
  if (note === undefined) throw new SkippedError(`no ${name}: an earlier check failed`);
  return note;
};
