import { setTimeout as sleep } from 'node:timers/promises';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import { commandOf } from '../shared/command.ts';

const usage = `npm run events:tail [-- --local URL] [--json]
Prints the events of a local server as it publishes them: time, type, subject and data. Ctrl-C ends it.
  --local URL  the server (default http://127.0.0.1:3000)
  --json       prints the CloudEvents as JSON Lines
  --help       prints this`;

/** Milliseconds between two attempts to connect. */
const retryDelay = 1_000;

/** The data of an event, as short text. */
const summaryOf = ({ type, data, clientid }: CloudEvent): string => {
  const { name, status, quantity, petId, complete, shipDate } = data as Record<string, unknown>;
  const words: Record<string, unknown[]> = {
    pet: [`“${name}”`, status],
    category: [`“${name}”`],
    inventory: [`${quantity} available`, status],
    order: [`${quantity} of pet ${petId}`, complete ? 'complete' : 'open', shipDate, `of ${clientid}`],
  };
  return (words[type.split('.')[1]!] ?? []).filter(word => word !== undefined).join(', ');
};

const lineOf = (event: CloudEvent) =>
  `${event.time} ${event.type.padEnd('petstore.inventory.updated'.length)} ${event.subject}: ${summaryOf(event)}`;

/** Passes on each event until the server ends the stream. */
const follow = async (url: string, onEvent: (event: CloudEvent) => void): Promise<'absent' | 'ended'> => {
  const response = await fetch(`${url}/local/events`).catch(() => undefined);
  if (!response) return 'absent';
  if (!response.ok)
    throw new Error(`${url} is not a local server with events: /local/events returned ${response.status}.`);
  console.error(`Events of ${url}, from now on. Ctrl-C ends it.`);
  let rest = '';
  try {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop()!;
      for (const line of lines) onEvent(JSON.parse(line));
    }
  } catch {
    // The server was killed, or reloads.
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
  let printed: string | undefined;
  for (;;) {
    const state = await follow(server, event => console.log(json ? JSON.stringify(event) : lineOf(event)));
    const message = state === 'absent' ? `No server at ${server}. Start one: npm start.` : `${server} has stopped.`;
    if (printed !== message) console.error(`${message} Waiting for a server.`);
    printed = state === 'absent' ? message : undefined;
    await sleep(retryDelay);
  }
});
