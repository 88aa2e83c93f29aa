import { randomUUID } from 'node:crypto';
import { type Check, whoOf } from './check.ts';
import { caching } from './checks/caching.ts';
import { catalogue } from './checks/catalog.ts';
import { documentation } from './checks/documentation.ts';
import { errorChecks } from './checks/errors.ts';
import { questions } from './checks/open-questions.ts';
import { completion, ending, orders } from './checks/orders.ts';
import { pages } from './checks/pages.ts';
import { routes } from './checks/routes.ts';
import { scopeChecks } from './checks/scopes.ts';
import { cleanUp, findLeftOvers } from './clean-up.ts';
import { type Made, NotThere, nothingMade } from './created.ts';
import { latencyTable, measure, type Samples } from './latency.ts';
import { takesOldTls } from './old-tls.ts';
import { plan, type RunStep } from './plan.ts';
import { guarded, type Retry, runCheck, runQuestion, type Tell } from './run-check.ts';
import { type Answer, createSend, type Sender, sendOnce, type Who } from './send.ts';
import { flood, report429 } from './throttle.ts';
import { type Credentials, tokensOf } from './tokens.ts';

export interface VerifyOptions extends Partial<Retry> {
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
  /** Names of checks, or parts of them: these run, and before them what they need. None: all checks. */
  readonly only?: readonly string[] | undefined;
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
 * @throws when the stage cannot be asked at all (no answer, no token), or no check has a name of `only`
 */
export const verify = async (options: VerifyOptions, tell: Tell): Promise<string | undefined> => {
  const { readOnly = false, samples, signal, only = [], attempts = 8, pause = 1000 } = options;
  const base = options.url.replace(/\/+$/, '');
  const tokens = new Map<Who, string>();
  const made = nothingMade(`${new Date().toISOString()} ${randomUUID().slice(0, 8)}`);
  let refused: Answer | undefined;
  const sender: Sender = { base, tokens, signal, refused: answer => (refused ??= answer) };
  const send = createSend(sender);
  let table: string | undefined;

  const stepOf = (check: Check): RunStep => ({
    name: check.name,
    writes: check.writes ?? false,
    leaves: Boolean(check.writes || check.keep),
    needsEarlier: typeof check.ask === 'function' || typeof check.expect === 'function',
    run: async report => {
      const who = typeof check.ask === 'function' ? 'client' : whoOf(check.ask);
      if (who !== 'nobody' && !tokens.has(who)) throw new NotThere(needs(who));
      await runCheck(check, send, made, report, { attempts, pause });
    },
  });
  const tls: RunStep = {
    name: 'TLS 1.1 is refused',
    run: async report => {
      // cdk/stack/api.ts asks for TLS 1.2 at least.
      if (await takesOldTls(base)) throw new Error('a handshake with it succeeds');
      report({ outcome: 'ok', name: tls.name });
    },
  };
  const latency = (counts: Samples): RunStep => ({
    name: 'latency',
    writes: !readOnly,
    run: async () => {
      table = latencyTable(await measure(send, made, { ...counts, readOnly }));
    },
  });
  const ordered = [...orders, ...(options.completeOrder ? completion : []), ...ending];
  const life = [...catalogue, ...pages(base), ...ordered];
  const steps = plan(
    [
      ...[documentation(base), routes, scopeChecks, errorChecks, caching, life].map(checks =>
        checks.filter(({ writes }) => !readOnly || !writes).map(stepOf),
      ),
      base.startsWith('https:') ? [tls] : [],
      questions.map(question => ({ name: question.name, run: report => runQuestion(question, send, report) })),
      samples ? [latency(samples)] : [],
      options.provoke429 ? flood(ask => sendOnce(sender, ask)) : [],
    ],
    only,
  );

  for (const [who, token] of await tokensOf(base, options.credentials)) tokens.set(who, token);
  if (options.expiredToken) tokens.set('expired', options.expiredToken);
  // Cleaning up goes on after a signal to stop.
  const sendToEnd = createSend({ ...sender, signal: undefined });
  const remove = (name: string, what: Made) =>
    guarded(name, tell, async () => {
      const left = await cleanUp(sendToEnd, what, pause);
      tell({ outcome: left.length > 0 ? 'FAILED' : 'ok', name, text: left.join('; ') });
    });
  const removeOwn = () =>
    guarded('what this run made is found', tell, async () => {
      // By name too: of what was made by a request whose answer was lost, nobody knows the id.
      for (const id of (await findLeftOvers(sendToEnd)).categories) made.categories.add(id);
    }).then(() => remove('what this run made is removed', made));

  const writes = steps.some(step => step.writes);
  if (writes) {
    const name = 'what earlier runs left is removed';
    await guarded(name, tell, async () => {
      const found = await findLeftOvers(send);
      if (found.categories.size > 0) await remove(`${name}: ${found.categories.size} categories`, found);
    });
  }
  try {
    for (const { name, run, isNamed } of steps) {
      const report: Tell = result => {
        if (isNamed || result.outcome === 'FAILED') tell(result);
      };
      await guarded(name, report, () => run(report), signal);
    }
    // One that came on the way.
    if (refused && !options.provoke429 && only.length === 0) report429(refused, tell);
  } finally {
    if (writes) await removeOwn();
  }
  return table;
};
