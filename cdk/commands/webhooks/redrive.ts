import { commandOf } from '../shared/command.ts';
import { eachMessage } from '../shared/each-message.ts';
import { type DeadLetter, read, type Stranger, sendAgain, sourceOf } from './dead-letters.ts';
import { type Places, placeOptions, placesOf, placeUsage } from './places.ts';

const usage = `npm run webhooks:redrive -- --queue URL --bus NAME [--webhook NAME] [--dry-run]
Sends dead letters once more, each to the webhook that did not take it and to no other. EventBridge delivers them: one that is
refused again is a dead letter again. To repeat it is harmless: an event that comes twice has the same id.
${placeUsage}
  --webhook NAME   what one webhook did not take, alone
  --dry-run        says what it would send, and changes nothing
  --help           say this
Exits with 0 when nothing is left, with 1 when something is, with 2 when it could not look. After Ctrl-C, what it had seen is
in the queue again in five minutes.
It needs sqs:ReceiveMessage, DeleteMessage and ChangeMessageVisibility on the queue, events:DescribeRule on the bus' rules, PutEvents on it.`;

interface Wish {
  readonly webhook?: string | undefined;
  readonly isDry: boolean;
}

/** What has become of a message, in words that many may share, and whether it stays. */
interface Outcome {
  readonly what?: string;
  readonly stays: boolean;
  readonly isLeft?: boolean;
}

const left = (what: string): Outcome => ({ what: `left: ${what}`, stays: true, isLeft: true });

/** Sends one letter after the other, and knows which it has sent. */
const createSender = (places: Places, { webhook, isDry }: Wish) => {
  const sources = new Map<string, string | undefined>();
  const sourceOfRule = async (rule: string) => {
    if (!sources.has(rule)) sources.set(rule, await sourceOf(places, rule));
    return sources.get(rule);
  };
  const startedAt = Date.now();
  const sent = new Set<string>();

  return async (letter: DeadLetter | Stranger): Promise<Outcome> => {
    if ('reason' in letter) return left(letter.reason);
    const { rule, event, because, sentAt } = letter;
    const source = await sourceOfRule(rule);
    if (!source) return left(`there is no webhook of the rule ${rule} any more`);
    const name = source.replace('petstore.webhook.', '');
    if (webhook !== undefined && name !== webhook) return { stays: true };
    // It came back while this ran. An older one of the same event was told twice, and is sent twice: that loses nothing.
    const attempt = `${rule} ${event.id}`;
    if (sent.has(attempt) && sentAt > startedAt) return left(`${name} did not take it again: ${because}`);
    if (isDry) return { what: `would be sent to ${name} again: ${because}`, stays: true };
    await sendAgain(places, letter, source);
    sent.add(attempt);
    return { what: `sent to ${name} again: ${because}`, stays: false };
  };
};

const { readOptions, run } = commandOf(usage, { unable: 2 });
const { values } = readOptions({
  ...placeOptions,
  webhook: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
});

await run(async () => {
  const { webhook, 'dry-run': isDry, ...named } = values;
  const places = await placesOf(named);
  const send = createSender(places, { webhook, isDry });
  /** Words → how often. */
  const outcomes = new Map<string, number>();
  let seen = 0;
  let isLeft = false;
  await eachMessage({ sqs: places.sqs, url: places.queueUrl, hiddenFor: 300 }, async message => {
    const outcome = await send(read(message));
    if (outcome.what) outcomes.set(outcome.what, (outcomes.get(outcome.what) ?? 0) + 1);
    isLeft ||= outcome.isLeft ?? false;
    seen += 1;
    if (seen % 10 === 0) console.error(`… ${seen} seen`);
    return !outcome.stays;
  });
  for (const [what, times] of outcomes) console.log(`${times} ${what}`);
  if (outcomes.size === 0) console.log('There are no dead letters.');
  return isLeft && !isDry ? 1 : 0;
});
