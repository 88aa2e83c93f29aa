import { setTimeout as sleep } from 'node:timers/promises';
import { findTokenUrl, issueToken } from './tokens.ts';

/** Who calls which stage. */
export interface Address {
  readonly url: string;
  readonly client: string;
  readonly secret: string;
  /** Absent: as the stage's document says. */
  readonly tokenUrl?: string | undefined;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a command trusts what the stage answers
  readonly body: any;
  /** Of an earlier request with the same key. */
  readonly isReplay: boolean;
  readonly etag: string | undefined;
  /** The path of a list's next page. */
  readonly next: string | undefined;
}

/** Headers by which a repetition does nothing twice. */
export type Conditions = { readonly 'Idempotency-Key'?: string; readonly 'If-Match'?: string };

/** Sends a request until it is answered for good. To repeat is safe: whatever creates has a key. @throws when nobody answers */
export type Caller = (method: string, path: string, body?: object, conditions?: Conditions) => Promise<Answer>;

/** How often one request is sent before its refusal counts; a stage takes a few a second. */
const patience = 30;
/** What a gateway says in its place included, when a function gave it no answer: a write may then be done. */
const passing = new Set([429, 502, 503, 504]);

const nobodyAt = (url: string, cause: Error) => new Error(`Nothing answers at ${url}.`, { cause });

/** A stage that is not there is not waited for. */
const readDocument = (url: string) =>
  fetch(url).catch(error => {
    throw nobodyAt(url, error);
  });

/** Sends again what was throttled or went unanswered: everything here may be sent twice. */
const send = async (url: string, init: RequestInit): Promise<Response> => {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, init).catch(error => error as Error);
    const isLast = tries === patience;
    if (response instanceof Error) {
      if (isLast) throw nobodyAt(url, response);
      await sleep(1000);
    } else if (isLast || !passing.has(response.status)) return response;
    else await sleep(1000 * Number(response.headers.get('Retry-After') ?? 1));
  }
};

/** @throws when the client gets no token */
export const createCaller = async ({ url, client, secret, tokenUrl }: Address): Promise<Caller> => {
  const base = url.replace(/\/$/, '');
  const source = tokenUrl ?? (await findTokenUrl(base, readDocument));
  const issue = () => issueToken(source, client, secret);
  let token = await issue();

  const call = async (method: string, path: string, init: RequestInit, conditions?: Conditions, isAgain = false) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...conditions };
    const response: Response = await send(base + path, { ...init, method, headers });
    if (response.status !== 401 || isAgain) return response;
    // An import may outlast its token.
    token = await issue();
    return call(method, path, init, conditions, true);
  };
  return async (method, path, body, conditions) => {
    const response = await call(method, path, body ? { body: JSON.stringify(body) } : {}, conditions);
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
    return {
      status: response.status,
      body: await response.json().catch(() => ({})),
      // Of its address the path may be another's, whom the stage stands behind; the cursor is what counts.
      next: next && path.replace(/\?.*/, '') + new URL(next, `${base}/`).search,
      etag: response.headers.get('ETag') ?? undefined,
      isReplay: response.headers.has('Idempotency-Replayed'),
    };
  };
};

/** @throws {Error} with the stage's own words, when it refuses */
export const checked = async (what: string, answering: Promise<Answer> | Answer): Promise<Answer> => {
  const answer = await answering;
  if (answer.status < 400) return answer;
  throw new Error(`${what} was answered ${answer.status}: ${answer.body.message}`);
};
