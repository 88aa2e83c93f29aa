// biome-ignore lint/suspicious/noExplicitAny: another program may have written anything
export type Stored = Record<string, any>;

export interface Violation {
  /** Its name in log lines and in lib/events/README.md. */
  readonly invariant: string;
  readonly attribute: string;
  /** The actual and the expected value. Never log this text, because it contains data of the item. */
  readonly text: string;
}
