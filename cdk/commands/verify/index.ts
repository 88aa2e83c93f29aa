import { apiOptions, apiUsageOf, findApi, findApiAndClient } from '../shared/api-options.ts';
import { commandOf } from '../shared/command.ts';
import type { Outputs } from '../shared/stage.ts';
import type { Result } from './run-check.ts';
import type { Credentials } from './tokens.ts';
import { verify } from './verify.ts';

const usage = `npm run verify -- (--stage NAME | --url URL --client ID --secret SECRET) [--token TOKEN] [--expired-token TOKEN] [--read-only] [--complete-order] [--provoke-429] [--only NAME …] [--cold N] [--warm N]
${apiUsageOf('verify')}
  --token TOKEN    instead of client and secret: an access token; the checks of narrower scopes are then skipped
  --expired-token TOKEN
                   an expired access token, to check its 401: API Gateway has a message of its own for it
  --read-only      writes nothing. Otherwise callers can read the categories and pets that it creates until it deletes them
  --complete-order also completes an order, which nobody can delete then. It needs a client with orders.manage
  --provoke-429    calls a method until API Gateway throttles it: other callers of the method get 429 as well
  --only NAME      runs the checks with NAME in their name, in upper or lower case; repeatable. Also runs the checks that
                   these need, and prints them only when they fail
  --cold N         concurrent requests of each operation, each in a new execution environment (default 5, 0: none)
  --warm N         requests of each operation after that, one after the other (default 10, 0: none)
  --help           prints this
With webhooks it needs sqs:GetQueueAttributes on their dead-letter queue, or skips that check.
It needs a client with the scopes catalog, inventory and orders, and removes what it creates. Without orders.manage it skips
the checks of updateOrder. Run one at a time: a run removes what others left.`;

const { misused, readOptions, run } = commandOf(usage);
const samplesOf = (name: string, text: string): number =>
  /^\d{1,2}$/.test(text) ? Number(text) : misused(`--${name} ${text} is not a number from 0 to 99.`);

const { values: options } = readOptions({
  ...apiOptions,
  token: { type: 'string' },
  'expired-token': { type: 'string' },
  'read-only': { type: 'boolean', default: false },
  'complete-order': { type: 'boolean', default: false },
  'provoke-429': { type: 'boolean', default: false },
  only: { type: 'string', multiple: true },
  cold: { type: 'string', default: '5' },
  warm: { type: 'string', default: '10' },
});
/** @throws {UsageError} */
const findStage = async (): Promise<{ url: string; credentials: Credentials; outputs: Outputs | undefined }> => {
  const { token } = options;
  if (token !== undefined) {
    const { url, opened } = await findApi(options);
    return { url, credentials: { token }, outputs: opened?.outputs };
  }
  const { url, opened, ...credentials } = await findApiAndClient(options, { defaultClient: 'verify' });
  return { url, credentials, outputs: opened?.outputs };
};
const samples = { cold: samplesOf('cold', options.cold), warm: samplesOf('warm', options.warm) };

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    console.error('Stopping. The run removes what it created first.');
    stop.abort();
  });

const outcomes: Record<Result['outcome'], number> = { ok: 0, observed: 0, local: 0, FAILED: 0, skipped: 0 };
const printResult = ({ outcome, name, text }: Result) => {
  outcomes[outcome]++;
  console.log(`${outcome.padEnd(9)} ${name}${text ? `: ${text}` : ''}`);
};

await run(async () => {
  const table = await verify(
    {
      ...(await findStage()),
      expiredToken: options['expired-token'],
      readOnly: options['read-only'],
      completeOrder: options['complete-order'],
      provoke429: options['provoke-429'],
      ...(samples.cold + samples.warm > 0 && { samples }),
      only: options.only,
      signal: stop.signal,
    },
    printResult,
  );
  if (table) console.log(`\n${table}`);
  console.log(
    `\n${outcomes.ok} ok, ${outcomes.local > 0 ? `${outcomes.local} local` : `${outcomes.observed} observed`}, ${outcomes.FAILED} failed, ${outcomes.skipped} skipped`,
  );
  return outcomes.FAILED > 0 || stop.signal.aborted ? 1 : 0;
});
