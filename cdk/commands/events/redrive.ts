import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type Bus, busOf } from '../../../lib/events/bus.ts';
import type { KeptRecord } from '../../../lib/events/dead-letter-queue.ts';
import { publish } from '../../../lib/events/publish.ts';
import { eventsOfRecord } from '../../../lib/events/stream-record.ts';
import { commandOf, WrongUse } from '../shared/command.ts';
import { eachMessage } from '../shared/each-message.ts';
import { jsonOrUndefined } from '../shared/json-or-undefined.ts';
import { type Stage, stageOf, stageOptions, stageUsage } from './stage.ts';

const usage = `npm run events:redrive -- --queue URL --stage NAME --bus NAME [--table NAME] [--dry-run]
Takes the records that could not be told out of their queue, maps them with the code of this checkout and tells them. Only what
the bus took is deleted; the rest stays where it is, with its reason. To repeat it is harmless: an event told twice has the same id.
A record of a table that the stage's present one has taken the place of is not told: it belongs to an earlier generation.
  --queue URL      the queue: the stack's output EventsDeadLetterQueueUrl
${stageUsage}
  --table NAME     the stage's present table, where cdk/config/settings.ts of this checkout is not the deployed one's
  --dry-run        says what it would tell, and changes nothing
  --help           say this
Exits with 0 when nothing is left, with 1 when something is, with 2 when it could not look.
It needs sqs:ReceiveMessage, DeleteMessage and ChangeMessageVisibility on the queue, events:PutEvents on the bus.`;

/** What has become of a message, in words, and whether it is done with. */
interface Outcome {
  readonly what: string;
  readonly isDone: boolean;
}

const gone =
  'it has no images, which alone tell what changed: npm run events:republish tells what is there now; then delete it by hand';

const redriveOne = async (body: string | undefined, stage: Stage, bus: Bus | undefined): Promise<Outcome> => {
  const { record, reason }: Partial<KeptRecord> = jsonOrUndefined(body) ?? {};
  // Lambda's own message, after 24 hours of failing, has the record's place in the stream, which has forgotten it by then.
  if (!record?.dynamodb) return { what: `not a kept record: ${gone}`, isDone: false };
  const { Keys, OldImage, NewImage } = record.dynamodb;
  const name = `${Keys?.pk?.S} (${reason})`;
  // Its count of writes is one of its own table: with the generation of another it would be newer than what has come since.
  const table = /:table\/([^/]+)/.exec(record.eventSourceARN ?? '')?.[1];
  if (table !== undefined && !stage.owns(table))
    return { what: `${name}: of another table, ${table}: it is not told; delete it by hand`, isDone: false };
  if (!OldImage && !NewImage) return { what: `${name}: ${gone}`, isDone: false };
  try {
    const events = eventsOfRecord(record, stage);
    const types = events.map(({ type }) => type).join(', ') || 'nothing to tell';
    if (!bus) return { what: `${name}: would tell ${types}`, isDone: false };
    const { failed, refused, cause } = await publish(bus, events);
    const [refusal] = refused.values();
    const problem = refusal ?? (failed.length > 0 ? (cause as Error) : undefined);
    if (problem) return { what: `${name}: the bus did not take it: ${problem.message || problem}`, isDone: false };
    return { what: `${name}: told ${types}`, isDone: true };
  } catch (error) {
    return { what: `${name}: still cannot be told: ${(error as Error).message}`, isDone: false };
  }
};

const { readOptions, run } = commandOf(usage, { unable: 2 });
const { values } = readOptions({
  ...stageOptions,
  queue: { type: 'string' },
  table: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
});

await run(async () => {
  const { queue, table, 'dry-run': isDry, ...named } = values;
  const stage = await stageOf(named, table);
  const url = queue ?? stage.queue;
  if (!url) throw new WrongUse('Which queue? --queue URL');
  const sqs = new SQSClient({ ...stage.client, endpoint: new URL(url).origin });
  const eventBridge = new EventBridgeClient({
    ...stage.client,
    ...(stage.eventsEndpoint && { endpoint: stage.eventsEndpoint }),
  });
  const bus = busOf(eventBridge, stage.bus);

  const { done, left } = await eachMessage({ sqs, url, hiddenFor: 600 }, async ({ Body }) => {
    const { what, isDone } = await redriveOne(Body, stage, isDry ? undefined : bus);
    console.log(what);
    return isDone;
  });
  const outcome = isDry ? 'nothing was changed' : `${done} told and deleted, ${left} left`;
  console.log(`${left + done} records: ${outcome}.`);
  return left > 0 && !isDry ? 1 : 0;
});
