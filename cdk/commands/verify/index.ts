import { commandOf } from '../shared/command.ts';
import type { Result } from './run-check.ts';
import type { Credentials } from './tokens.ts';
import { verify } from './verify.ts';

const usage = `npm run verify -- --url URL (--client ID --secret SECRET | --token TOKEN) [--expired-token TOKEN] [--read-only] [--complete-order] [--provoke-429] [--only NAME …] [--cold N] [--warm N]
  --url URL        the stage, by its public address where it has one
  --client ID      a client with all scopes, such as staff; its tokens cost three times $0.00225
  --secret SECRET  its secret
  --token TOKEN    instead of both: an access token; scopes are then not narrowed
  --expired-token  one that has expired, to see its 401, which the gateway words apart from every other
  --read-only      writes nothing: for production by day
  --complete-order also completes an order, which then stays for good
  --provoke-429    calls a method until its throttle refuses: others who call it wait, too
  --only NAME      runs the checks with NAME in their name, in any case of letters; again for further ones. What they
                   need runs before them, and shows only where it fails; what was made is removed
  --cold N         requests of each operation at once, each of which starts an environment (default 5, 0: none)
  --warm N         and after them, one after the other (default 10, 0: none)
One run at a time: each removes what it finds of others.`;

const { misused, fail, readOptions } = commandOf(usage);
const samplesOf = (name: string, text: string): number =>
  /^\d{1,2}$/.test(text) ? Number(text) : misused(`--${name} ${text} is not a number from 0 to 99.`);

const { values: options } = readOptions({
  url: { type: 'string' },
  client: { type: 'string' },
  secret: { type: 'string' },
  token: { type: 'string' },
  'expired-token': { type: 'string' },
  'read-only': { type: 'boolean', default: false },
  'complete-order': { type: 'boolean', default: false },
  'provoke-429': { type: 'boolean', default: false },
  only: { type: 'string', multiple: true },
  cold: { type: 'string', default: '5' },
  warm: { type: 'string', default: '10' },
});
const { url, client, secret, token } = options;
const credentialsOf = (): Credentials => {
  if (token) return { token };
  return client && secret ? { client, secret } : misused('A client and its secret are needed, or a token.');
};
const address = url && URL.canParse(url) ? url : misused('The address of the stage is needed: --url https://…');
const credentials = credentialsOf();
const samples = { cold: samplesOf('cold', options.cold), warm: samplesOf('warm', options.warm) };

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    console.error('Stopping: what was made is removed first.');
    stop.abort();
  });

const outcomes: Record<Result['outcome'], number> = { ok: 0, settled: 0, FAILED: 0, 'not asked': 0 };
const tell = ({ outcome, name, text }: Result) => {
  outcomes[outcome]++;
  console.log(`${outcome.padEnd(9)} ${name}${text ? `: ${text}` : ''}`);
};

try {
  const table = await verify(
    {
      url: address,
      credentials,
      expiredToken: options['expired-token'],
      readOnly: options['read-only'],
      completeOrder: options['complete-order'],
      provoke429: options['provoke-429'],
      ...(samples.cold + samples.warm > 0 && { samples }),
      only: options.only,
      signal: stop.signal,
    },
    tell,
  );
  if (table) console.log(`\n${table}`);
} catch (error) {
  const { message, cause } = error as Error;
  fail(cause instanceof Error ? `${message}: ${cause.message}` : message);
}
console.log(
  `\n${outcomes.ok} ok, ${outcomes.settled} settled, ${outcomes.FAILED} failed, ${outcomes['not asked']} not asked`,
);
if (outcomes.FAILED > 0 || stop.signal.aborted) process.exitCode = 1;
