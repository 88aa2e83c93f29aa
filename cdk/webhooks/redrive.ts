import { parseArgs } from 'node:util';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type Places, putBack, receive, sendAgain, sourceOf } from './dead-letters.ts';

/**
 * Sends dead letters once more, each to the webhook that did not take it and to no other. EventBridge delivers them, so
 * one that is refused again is a dead letter again.
 */

const usage = `npm run webhooks:redrive [-- --queue URL --bus NAME] [--webhook NAME] [--dry-run]
  --queue URL     a stage's queue: its output DeadLettersUrl
  --bus NAME      its bus: the output EventBusName (the credentials are AWS's usual ones)
  --url URL       or the local server (default http://127.0.0.1:3000)
  --webhook NAME  what one webhook did not take, alone
  --dry-run       only say what there is; nothing is sent or removed
  --help          say this`;

const fail = (message: string): never => {
  console.error(message);
  process.exit(1);
};

const readOptions = () => {
  try {
    const { values } = parseArgs({
      options: {
        queue: { type: 'string' },
        bus: { type: 'string' },
        url: { type: 'string', default: 'http://127.0.0.1:3000' },
        webhook: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if ((values.queue === undefined) !== (values.bus === undefined)) throw new Error('--queue and --bus go together.');
    return values;
  } catch (error) {
    return fail(`${(error as Error).message}\n${usage}`);
  }
};

const options = readOptions();
if (options.help) {
  console.log(usage);
  process.exit(0);
}

const ofStage = (queueUrl: string, bus: string): Places => {
  const region = /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com/.exec(queueUrl)?.[1];
  if (!region) return fail(`${queueUrl} is no queue’s URL; expected the stack’s output DeadLettersUrl, https://sqs.…`);
  return { sqs: new SQSClient({ region }), eventBridge: new EventBridgeClient({ region }), queueUrl, bus };
};

const ofLocalServer = async (url: string): Promise<Places> => {
  const response = await fetch(`${url.replace(/\/$/, '')}/local`).catch(() =>
    fail(`Nothing answers at ${url}. Start the server first (npm start), or name a stage: --queue URL --bus NAME`),
  );
  const description = response.ok ? ((await response.json()) as Record<string, string>) : {};
  const { DEAD_LETTERS_URL: queueUrl, EVENT_BUS: bus, EVENTS_ENDPOINT: endpoint } = description;
  if (!queueUrl || !bus || !endpoint)
    return fail(`The server at ${url} has no webhook: npm start -- --webhook http://127.0.0.1:4000/hook`);
  const local = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  return { sqs: new SQSClient(local), eventBridge: new EventBridgeClient(local), queueUrl, bus };
};

const { queue, bus, url, webhook, 'dry-run': isDry } = options;
const places = queue && bus ? ofStage(queue, bus) : await ofLocalServer(url);

const sources = new Map<string, string | undefined>();
const sourceOfRule = async (rule: string) => {
  if (!sources.has(rule)) sources.set(rule, await sourceOf(places, rule));
  return sources.get(rule);
};

/** Line → how often. */
const found = new Map<string, number>();
const count = (line: string) => void found.set(line, (found.get(line) ?? 0) + 1);
/** What stays in the queue is given back at the end: earlier, it would be received again. */
const staying: string[] = [];
const seen = new Set<string>();
const handled = new Set<string>();
let total = 0;
let left = 0;

const stay = (receipt: string, line: string) => {
  staying.push(receipt);
  left++;
  count(line);
};

const handle = async (letter: Awaited<ReturnType<typeof receive>>[number]): Promise<void> => {
  const { receipt } = letter;
  if ('reason' in letter) return stay(receipt, `left: ${letter.reason}`);
  const { rule, event, because } = letter;
  const source = await sourceOfRule(rule);
  if (!source) return stay(receipt, `left: there is no webhook of the rule ${rule} any more`);
  const name = source.replace('petstore.webhook.', '');
  if (webhook !== undefined && name !== webhook) return void staying.push(receipt);
  // It came back while this ran: the webhook still does not take it.
  if (handled.has(`${rule} ${event.id}`)) return stay(receipt, `left: ${name} did not take it again: ${because}`);
  handled.add(`${rule} ${event.id}`);
  total++;
  if (isDry) staying.push(receipt);
  else await sendAgain(places, letter, source);
  count(`${isDry ? 'would be sent' : 'sent'} to ${name} again: ${because}`);
};

try {
  for (let letters = await receive(places); letters.length > 0; letters = await receive(places)) {
    // Those that stay come again once a long run has outlasted their being hidden.
    const unseen = letters.filter(({ id }) => !seen.has(id));
    if (unseen.length === 0) break;
    for (const letter of unseen) await handle(letter);
    for (const { id } of unseen) seen.add(id);
    console.error(`… ${total} ${isDry ? 'seen' : 'sent again'}`);
  }
} catch (error) {
  process.exitCode = 1;
  const { name, message } = error as Error;
  console.error(
    `It stopped: ${name}: ${message}\nWhat was not sent is in the queue still, to be seen in five minutes: then run it again.`,
  );
} finally {
  for (const receipt of staying) await putBack(places, receipt).catch(() => undefined);
}

for (const [line, times] of found) console.log(`${times} ${line}`);
if (found.size === 0 && !process.exitCode) console.log('There are no dead letters.');
if (left > 0) process.exitCode = 1;
