/** Where in a list, ordered by descending id, a page starts and how many items it may hold. */
export interface Page {
  readonly limit: number;
  /** The last id of the page before. */
  readonly after?: number;
}

/** Items and, when more follow, the id after which they do. */
export interface PageOf<T> {
  readonly items: T[];
  readonly next?: number | undefined;
}

/** Whether the present representation is the one that the caller means to change. */
export type Precondition = (representation: object) => boolean;

/** A key of the caller's choosing, scoped to caller and operation, and what was asked under it. */
export interface Idempotency {
  readonly id: string;
  readonly digest: string;
}

/** What a creation answers: the thing, and whether an earlier request had created it. */
export interface Creation<T> {
  readonly created: T;
  readonly replayed: boolean;
}
