import { randomUUID } from 'node:crypto';
import type { Outputs } from '../shared/stage.ts';
import { type Check, tokenKindOf } from './check.ts';
import { caching } from './checks/caching.ts';
import { catalog } from './checks/catalog.ts';
import { documentation } from './checks/documentation.ts';
import { errorChecks } from './checks/errors.ts';
import { openQuestions } from './checks/open-questions.ts';
import { completion, ending, orders } from './checks/orders.ts';
import { pages } from './checks/pages.ts';
import { routes } from './checks/routes.ts';
import { scopeChecks } from './checks/scopes.ts';
import { cleanUp, findLeftovers } from './clean-up.ts';
import { type Created, nothingCreated, SkippedError } from './created.ts';
import { latencyTable, measure, type Samples } from './latency.ts';
import { acceptsOldTls } from './old-tls.ts';
import { plan, type RunStep } from './plan.ts';
import { guarded, type OnResult, type Retry, runCheck, runOpenQuestion } from './run-check.ts';
import { type ApiResponse, createSend, type Sender, sendOnce, type TokenKind } from './send.ts';
import { flood, report429 } from './throttle.ts';
import { type Credentials, hasScope, tokensOf } from './tokens.ts';
import { webhookSteps } from './webhooks.ts';

export interface VerifyOptions extends Partial<Retry> {
  /** The URL of the stage. */
  readonly url: string;
  readonly credentials: Credentials;
  /** The outputs of the stack. Absent: they are unknown. */
  readonly outputs?: Outputs | undefined;
  /** An expired access token of this stage. */
  readonly expiredToken?: string | undefined;
  /** Write nothing. */
  readonly readOnly?: boolean;
  /** Whether to complete an order, which nobody can delete then. */
  readonly completeOrder?: boolean;
  /** Whether to call a method until API Gateway throttles it. */
  readonly provoke429?: boolean;
  /** Absent: measure no latencies. */
  readonly samples?: Samples | undefined;
  /** Names of checks, or parts of names. These checks run, and the checks that they need. Absent: all checks. */
  readonly only?: readonly string[] | undefined;
  /** Ends the run early. It still removes what it created. */
  readonly signal?: AbortSignal;
}

const needs = (kind: TokenKind): string =>
  kind === 'expired'
    ? 'needs --expired-token, an expired access token of this stage: keep one for a later run'
    : 'needs --client and --secret';

/**
 * Checks from outside what only a deployed stage can show.
 * @param onResult gets each result as it comes
 * @returns the table of latencies, if they were measured
 * @throws when the stage does not respond or issues no token, when no check has a name of `only`, or when the client may not
 * complete an order
 */
export const verify = async (options: VerifyOptions, onResult: OnResult): Promise<string | undefined> => {
  const { readOnly = false, samples, signal, only = [], attempts = 8, pause = 1000 } = options;
  const base = options.url.replace(/\/+$/, '');
  const observed = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(base).hostname) ? 'local' : 'observed';
  const tokens = new Map<TokenKind, string>();
  const created = nothingCreated(`${new Date().toISOString()} ${randomUUID().slice(0, 8)}`);
  let throttled: ApiResponse | undefined;
  const sender: Sender = { base, tokens, signal, onThrottled: response => (throttled ??= response) };
  const send = createSend(sender);
  let table: string | undefined;
  const mayManage = () => hasScope(tokens.get('client')!, 'orders.manage');

  const stepOf = (check: Check): RunStep => ({
    name: check.name,
    writes: check.writes ?? false,
    leaves: Boolean(check.writes || check.keep),
    needsEarlier: typeof check.request === 'function' || typeof check.expect === 'function',
    run: async report => {
      const kind = typeof check.request === 'function' ? 'client' : tokenKindOf(check.request);
      if (kind !== 'none' && !tokens.has(kind)) throw new SkippedError(needs(kind));
      if (check.manages && !mayManage()) throw new SkippedError('needs a client with the scope orders.manage');
      await runCheck(check, send, created, report, { attempts, pause });
    },
  });
  const tls: RunStep = {
    name: 'TLS 1.1 is rejected',
    run: async report => {
      // cdk/stack/api.ts requires at least TLS 1.2.
      if (await acceptsOldTls(base)) throw new Error('a handshake with it succeeds');
      report({ outcome: 'ok', name: tls.name });
    },
  };
  const latency = (counts: Samples): RunStep => ({
    name: 'latency',
    writes: !readOnly,
    run: async () => {
      table = latencyTable(await measure(send, created, { ...counts, readOnly, mayManage: mayManage() }));
    },
  });
  const ordered = [...orders, ...(options.completeOrder ? completion : []), ...ending];
  const lifecycle = [...catalog, ...pages(base), ...ordered];
  const steps = plan(
    [
      ...[documentation(base), routes, scopeChecks, errorChecks, caching, lifecycle].map(checks =>
        checks.filter(({ writes }) => !readOnly || !writes).map(stepOf),
      ),
      base.startsWith('https:') ? [tls] : [],
      openQuestions.map(question => ({
        name: question.name,
        run: report => runOpenQuestion(question, send, report, observed),
      })),
      webhookSteps(options.outputs),
      samples ? [latency(samples)] : [],
      options.provoke429 ? flood(request => sendOnce(sender, request), observed) : [],
    ],
    only,
  );

  for (const [kind, token] of await tokensOf(base, options.credentials)) tokens.set(kind, token);
  if (options.expiredToken) tokens.set('expired', options.expiredToken);
  if (options.completeOrder && !mayManage())
    throw new Error('--complete-order needs a client with the scope orders.manage: --client ID');
  // The clean-up continues after a signal to stop.
  const sendToEnd = createSend({ ...sender, signal: undefined });
  const remove = (name: string, what: Created) =>
    guarded(name, onResult, async () => {
      const left = await cleanUp(sendToEnd, what, pause);
      onResult({ outcome: left.length > 0 ? 'FAILED' : 'ok', name, text: left.join('; ') });
    });
  const removeOwn = () =>
    guarded('finds what this run created', onResult, async () => {
      // Also by name: the run does not know the id of what a request created whose response was lost.
      for (const id of (await findLeftovers(sendToEnd)).categories) created.categories.add(id);
    }).then(() => remove('removes what this run created', created));

  const writes = steps.some(step => step.writes);
  if (writes) {
    const name = 'removes what earlier runs left';
    await guarded(name, onResult, async () => {
      const found = await findLeftovers(send);
      if (found.categories.size > 0) await remove(`${name}: ${found.categories.size} categories`, found);
    });
  }
  try {
    for (const { name, run, isNamed } of steps) {
      const report: OnResult = result => {
        if (isNamed || result.outcome === 'FAILED') onResult(result);
      };
      await guarded(name, report, () => run(report), signal);
    }
    // A 429 of an earlier check.
    if (throttled && !options.provoke429 && only.length === 0) report429(throttled, onResult);
  } finally {
    if (writes) await removeOwn();
  }
  return table;
};
