import type { ErrorName } from '../../../lib/errors.ts';
import type { Made } from './created.ts';
import type { Answer, Ask, Who } from './send.ts';

/** What an answer must be. */
export interface Expected {
  /** Of a success; an error has its own. */
  readonly status?: number;
  readonly error?: ErrorName;
  /** A header's value, what it must look like, or null: absent. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** Says what is wrong with it; undefined: nothing. */
  readonly also?: (answer: Answer) => string | undefined;
  /** Who answers: a function (the default), API Gateway in our words, or AWS before our API, in its own. */
  readonly by?: 'function' | 'gateway' | 'AWS';
}

/** One thing that a deployed stage must do, as plain data: its name, what is asked, what is expected, and why to look at all. */
export interface Check {
  readonly name: string;
  /** Functions are given what earlier checks made. */
  readonly ask: Ask | ((made: Made) => Ask);
  readonly expect: Expected | ((made: Made) => Expected);
  readonly keep?: (answer: Answer, made: Made) => void;
  /** A deprecated operation's: past its sunset it may have ended, and 410 is right as well. */
  readonly mayBeGone?: boolean;
  /** It writes, so it is left out with --read-only. */
  readonly writes?: boolean;
  /** The indexes are eventually consistent: asked again for some seconds until it is as expected. */
  readonly eventually?: boolean;
  /** Where it is said that AWS does so, when a local server cannot know. */
  readonly source?: string;
}

/** What no document says: each of the answers is right, and the first deployment settles which it is. */
export interface Question {
  readonly name: string;
  /** Where it stands in this code, and what hangs on it. */
  readonly doubt: string;
  readonly ask: Ask;
  readonly answers: readonly { readonly means: string; readonly expect: Expected }[];
  /** What it means when the connection ends instead, where that is right as well. */
  readonly cut?: string;
}

export const askOf = ({ ask }: Check, made: Made): Ask => (typeof ask === 'function' ? ask(made) : ask);

/** Which tokens the asking takes. */
export const whoOf = (ask: Ask): Who => ask.as ?? 'nobody';
