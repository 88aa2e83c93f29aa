/** An item as it is stored. */
// biome-ignore lint/suspicious/noExplicitAny: another program may have written anything
export type Stored = Record<string, any>;

/** A violated invariant of one item. */
export interface Violation {
  /** The name of the invariant in log lines and in lib/events/README.md. */
  readonly invariant: string;
  readonly attribute: string;
  /** The value of the attribute, and the expected value. Never log this text, because it contains data of the item. */
  readonly text: string;
}
