import { randomUUID } from 'node:crypto';
import { whoOf } from './check.ts';
import { caching } from './checks/caching.ts';
import { catalogue } from './checks/catalogue.ts';
import { documentation } from './checks/documentation.ts';
import { errorChecks } from './checks/errors.ts';
import { completion, ending, orders } from './checks/orders.ts';
import { pages } from './checks/pages.ts';
import { questions } from './checks/questions.ts';
import { routes } from './checks/routes.ts';
import { scopeChecks } from './checks/scopes.ts';
import { cleanUp, findLeftOvers } from './clean-up.ts';
import { type Answer, createSend, type Sender, sendOnce, type Who } from './exchange.ts';
import { judge } from './judge.ts';
import { latencyTable, measure, type Samples } from './latency.ts';
import { type Made, NotThere, nothingMade } from './made.ts';
import { takesOldTls } from './old-tls.ts';
import { guarded, runCheck, runQuestion, type Tell } from './run-check.ts';
import { bucketOfAny, expected429, provoke429 } from './throttle.ts';
import { type Credentials, tokensOf } from './tokens.ts';

export interface VerifyOptions {
  /** The stage's address. */
  readonly url: string;
  readonly credentials: Credentials;
  /** An access token of this stage whose life is over. */
  readonly expiredToken?: string | undefined;
  /** Nothing is written. */
  readonly readOnly?: boolean;
  /** Whether to complete an order, which then stays for good. */
  readonly completeOrder?: boolean;
  /** Whether to call until the throttle refuses. */
  readonly provoke429?: boolean;
  /** None: no latencies. */
  readonly samples?: Samples | undefined;
  /** Ends the run early; what it made is removed all the same. */
  readonly signal?: AbortSignal;
}

const needs = (who: Who): string =>
  who === 'expired'
    ? 'needs --expired-token, an access token of this stage’s pool that has expired: keep one for a later run'
    : 'needs --client and --secret';

/**
 * Asks a deployed stage from outside for everything that a local server cannot show.
 * @param tell is given each result as it comes
 * @returns the table of latencies, where they were asked for
 * @throws when the stage cannot be asked at all: no answer, no token
 */
export const verify = async (options: VerifyOptions, tell: Tell): Promise<string | undefined> => {
  const { readOnly = false, samples, signal } = options;
  const base = options.url.replace(/\/+$/, '');
  const tokens = await tokensOf(base, options.credentials);
  if (options.expiredToken) tokens.set('expired', options.expiredToken);
  const made = nothingMade(`${new Date().toISOString()} ${randomUUID().slice(0, 8)}`);
  let refused: Answer | undefined;
  const sender: Sender = { base, tokens, signal, refused: answer => (refused ??= answer) };
  const send = createSend(sender);
  // Cleaning up goes on after a signal to stop.
  const sendToEnd = createSend({ ...sender, signal: undefined });
  const remove = (name: string, what: Made) =>
    guarded(name, tell, async () => {
      const left = await cleanUp(sendToEnd, what);
      tell({ outcome: left.length > 0 ? 'FAILED' : 'ok', name, text: left.join('; ') });
    });
  const removeOwn = () =>
    guarded('what this run made is found', tell, async () => {
      // By name too: of what was made by a request whose answer was lost, nobody knows the id.
      for (const id of (await findLeftOvers(sendToEnd)).categories) made.categories.add(id);
    }).then(() => remove('what this run made is removed', made));

  if (!readOnly) {
    const name = 'what earlier runs left is removed';
    await guarded(name, tell, async () => {
      const found = await findLeftOvers(send);
      if (found.categories.size > 0) await remove(`${name}: ${found.categories.size} categories`, found);
    });
  }
  let table: string | undefined;
  try {
    const ordered = [...orders, ...(options.completeOrder ? completion : []), ...ending];
    const life = [...catalogue, ...pages(base), ...ordered];
    const all = [...documentation(base), ...routes, ...scopeChecks, ...errorChecks, ...caching, ...life];
    for (const check of all.filter(({ writes }) => !readOnly || !writes))
      await guarded(
        check.name,
        tell,
        async () => {
          const who = typeof check.ask === 'function' ? 'client' : whoOf(check.ask);
          if (who !== 'nobody' && !tokens.has(who)) throw new NotThere(needs(who));
          await runCheck(check, send, made, tell);
        },
        signal,
      );
    const tls = 'TLS 1.1 is refused';
    if (base.startsWith('https:'))
      await guarded(
        tls,
        tell,
        async () => {
          // cdk/stack/api.ts asks for TLS 1.2 at least.
          if (await takesOldTls(base)) throw new Error('a handshake with it succeeds');
          tell({ outcome: 'ok', name: tls });
        },
        signal,
      );
    for (const question of questions)
      await guarded(question.name, tell, () => runQuestion(question, send, tell), signal);
    if (samples)
      await guarded(
        'latency',
        tell,
        async () => {
          table = latencyTable(await measure(send, made, { ...samples, readOnly }));
        },
        signal,
      );
    const throttled = '429: its shape and headers';
    if (options.provoke429)
      await guarded(
        throttled,
        tell,
        async () => {
          refused = await provoke429(ask => sendOnce(sender, ask));
          if (!refused) throw new Error('the throttle never refused');
          await runQuestion(bucketOfAny, ask => sendOnce(sender, ask), tell);
        },
        signal,
      );
    if (refused) {
      const faults = judge(refused, expected429);
      tell({ outcome: faults.length > 0 ? 'FAILED' : 'ok', name: throttled, text: faults.join('; ') });
    }
  } finally {
    if (!readOnly) await removeOwn();
  }
  return table;
};
