import { setTimeout as sleep } from 'node:timers/promises';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import { commandOf } from '../shared/command.ts';

const usage = `npm run events:tail [-- --local URL] [--json]
Prints the events of a local server as it publishes them: time, type, subject and data. Ctrl-C ends it.
  --local URL  the server (default http://127.0.0.1:3000)
  --json       prints the CloudEvents as JSON Lines
  --help       prints this`;

/** How soon a server that is not there is asked again, in milliseconds. */
const pause = 1_000;

type Told = Record<string, unknown>;

/** What is told, as one reads it. */
const summaryOf = ({ type, data, clientid }: CloudEvent): string => {
  const { name, status, quantity, petId, complete, shipDate } = data as Told;
  const words: Record<string, unknown[]> = {
    pet: [`“${name}”`, status],
    category: [`“${name}”`],
    inventory: [`${quantity} free`, status],
    order: [`${quantity} of pet ${petId}`, complete ? 'complete' : 'open', shipDate, `of ${clientid}`],
  };
  return (words[type.split('.')[1]!] ?? []).filter(word => word !== undefined).join(', ');
};

const lineOf = (event: CloudEvent) =>
  `${event.time} ${event.type.padEnd('petstore.inventory.updated'.length)} ${event.subject}: ${summaryOf(event)}`;

/** Hands over each event until the server ends the stream, or breaks off. */
const follow = async (url: string, hear: (event: CloudEvent) => void): Promise<'absent' | 'ended'> => {
  const response = await fetch(`${url}/local/events`).catch(() => undefined);
  if (!response) return 'absent';
  if (!response.ok)
    throw new Error(`${url} is no local server that tells events: /local/events is answered ${response.status}.`);
  console.error(`Events of ${url}, from now on. Ctrl-C ends it.`);
  let rest = '';
  try {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop()!;
      for (const line of lines) hear(JSON.parse(line));
    }
  } catch {
    // It was killed, or is served anew.
  }
  return 'ended';
};

const { readOptions, run } = commandOf(usage, { unable: 2 });
const { values } = readOptions({
  local: { type: 'string', default: 'http://127.0.0.1:3000' },
  json: { type: 'boolean', default: false },
});

await run(async () => {
  const { local, json } = values;
  const server = local.replace(/\/$/, '');
  let said: string | undefined;
  for (;;) {
    const state = await follow(server, event => console.log(json ? JSON.stringify(event) : lineOf(event)));
    const words = state === 'absent' ? `Nothing answers at ${server}: npm start` : `${server} has ended.`;
    if (said !== words) console.error(`${words} Waiting for it to come (again).`);
    said = state === 'absent' ? words : undefined;
    await sleep(pause);
  }
});
