import type { ErrorName } from '../../../lib/errors.ts';
import type { Created } from './created.ts';
import type { ApiRequest, ApiResponse, TokenKind } from './send.ts';

/** What a response must be. */
export interface Expected {
  /** The status of a success. An error has its own. */
  readonly status?: number;
  readonly error?: ErrorName;
  /** The value of a header, a pattern, or null: the header is absent. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** @returns what differs; undefined: nothing */
  readonly also?: (response: ApiResponse) => string | undefined;
  /** What responds: a function (the default), API Gateway with our message, or AWS with its own message. */
  readonly by?: 'function' | 'gateway' | 'AWS';
}

/** One requirement on a deployed stage, as plain data: a request, and what its response must be. */
export interface Check {
  readonly name: string;
  /** A function gets what earlier checks created. */
  readonly request: ApiRequest | ((created: Created) => ApiRequest);
  readonly expect: Expected | ((created: Created) => Expected);
  readonly keep?: (response: ApiResponse, created: Created) => void;
  /** The operation is deprecated: after its sunset, 410 is correct as well. */
  readonly mayBeGone?: boolean;
  /** The check writes, so --read-only leaves it out. */
  readonly writes?: boolean;
  /** The client needs the scope orders.manage: without it the check is skipped. */
  readonly manages?: boolean;
  /** The indexes are eventually consistent: the check retries for some seconds. */
  readonly eventually?: boolean;
  /** The source of this AWS behavior, which a local server cannot prove. */
  readonly source?: string;
}

/** Behavior of AWS that is not documented. Each of the responses is correct; the first deployment shows which it is. */
export interface OpenQuestion {
  readonly name: string;
  /** Where the code depends on it, and what is not known. */
  readonly doubt: string;
  readonly request: ApiRequest;
  readonly responses: readonly { readonly means: string; readonly expect: Expected }[];
  /** What it means when the connection closes without a response; absent: that is a failure. */
  readonly cut?: string;
}

export const requestOf = ({ request }: Check, created: Created): ApiRequest =>
  typeof request === 'function' ? request(created) : request;

/** The token that the request needs. */
export const tokenKindOf = (request: ApiRequest): TokenKind => request.token ?? 'none';
