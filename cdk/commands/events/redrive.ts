import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type Bus, busOf } from '../../../lib/events/bus.ts';
import type { Origin } from '../../../lib/events/cloud-event.ts';
import type { DeadLetteredRecord } from '../../../lib/events/dead-letter-queue.ts';
import { publish } from '../../../lib/events/publish.ts';
import { changeOf, eventsOfChange, tableOf } from '../../../lib/events/stream-record.ts';
import { commandOf } from '../shared/command.ts';
import { eachMessage } from '../shared/each-message.ts';
import { jsonOrUndefined } from '../shared/json-or-undefined.ts';
import { openStage, stageOptions, stageUsage } from '../shared/stage.ts';
import { originOf } from './origin.ts';

const usage = `npm run events:redrive -- --stage NAME [--dry-run | --delete-unpublishable]
Publishes the records of the dead-letter queue that the publisher could not publish. It maps them with the code of this
checkout, and deletes only records whose events the bus accepted. You can run it again: an event that is published twice has
the same id. It does not publish a record of another table than the stage's current one, because such a record belongs to an
earlier generation.
${stageUsage}
  --dry-run        prints what it would publish, and changes nothing
  --delete-unpublishable
                   also deletes messages that can never be published: without images, or of another table. Before it, publish
                   the current state with npm run events:republish
  --help           prints this
Exits with 0 when no record is left or with --dry-run, with 1 when some are left, with 2 when it failed.`;

interface Target {
  readonly table: string;
  readonly origin: Origin;
  /** Absent: nothing is published. */
  readonly bus: Bus | undefined;
  readonly deletesUnpublishable: boolean;
}

/** What happened to a message, and whether to delete it. */
interface Outcome {
  readonly what: string;
  readonly isDone: boolean;
}

/** A message of Zod has many lines. */
const inOneLine = (text: string): string => text.replace(/\s+/g, ' ');

const gone = 'it has no images, so the change is lost';

const redriveOne = async (body: string | undefined, target: Target): Promise<Outcome> => {
  const { table: current, origin, bus, deletesUnpublishable: isDone } = target;
  const unpublishable = (what: string): Outcome => {
    const todo =
      'Publish the current state with npm run events:republish, then run this again with --delete-unpublishable';
    return { what: `${what}. ${isDone ? 'Deleted' : todo}`, isDone };
  };
  const message: Partial<DeadLetteredRecord> & { DDBStreamBatchInfo?: object } = jsonOrUndefined(body) ?? {};
  const { record, reason } = message;
  // Lambda itself sends a message after 23 hours of failures. It has only the position in the stream, which expires soon.
  if (message.DDBStreamBatchInfo) return unpublishable(`a message of Lambda: ${gone}`);
  if (!record?.dynamodb) return { what: 'not a message of this service: it stays in the queue', isDone: false };
  const { Keys, OldImage, NewImage } = record.dynamodb;
  const name = `${Keys?.pk?.S} (${inOneLine(String(reason))})`;
  // Its write count is that of its own table. With the generation of another table, the event would be newer than it is.
  const table = tableOf(record);
  if (table !== undefined && table !== current) return unpublishable(`${name}: of another table, ${table}`);
  if (!OldImage && !NewImage) return unpublishable(`${name}: ${gone}`);
  try {
    const events = eventsOfChange(changeOf(record), origin);
    const types = events.map(({ type }) => type).join(', ') || 'no event';
    if (!bus) return { what: `${name}: would publish ${types}`, isDone: false };
    const { failed, rejected, cause } = await publish(bus, events);
    const [rejection] = rejected.values();
    const problem = rejection ?? (failed.length > 0 ? (cause as Error) : undefined);
    if (problem) return { what: `${name}: the bus rejected it: ${problem.message || problem}`, isDone: false };
    return { what: `${name}: published ${types}`, isDone: true };
  } catch (error) {
    const message = inOneLine((error as Error).message);
    return { what: `${Keys?.pk?.S}: still cannot be published: ${message}`, isDone: false };
  }
};

const { misused, readOptions, run } = commandOf(usage, { unable: 2 });
const { values } = readOptions({
  ...stageOptions,
  'dry-run': { type: 'boolean', default: false },
  'delete-unpublishable': { type: 'boolean', default: false },
});
const deletesUnpublishable = values['delete-unpublishable'];
if (values['dry-run'] && deletesUnpublishable) misused('--dry-run deletes nothing: leave --delete-unpublishable out.');

await run(async () => {
  const isDry = values['dry-run'];
  const stage = await openStage(values);
  const bus = busOf(new EventBridgeClient(), stage.output('EventBusName'));
  const target = {
    ...{ table: stage.output('TableName'), origin: originOf(stage), deletesUnpublishable },
    bus: isDry ? undefined : bus,
  };
  const url = stage.output('EventsDeadLetterQueueUrl');
  const { done, left } = await eachMessage(new SQSClient({ endpoint: new URL(url).origin }), url, async ({ Body }) => {
    const { what, isDone } = await redriveOne(Body, target);
    console.log(what);
    return isDone;
  });
  const outcome = isDry
    ? 'nothing was changed'
    : `${done} ${deletesUnpublishable ? '' : 'published and '}deleted, ${left} left`;
  console.log(`${left + done} records: ${outcome}.`);
  return left > 0 && !isDry ? 1 : 0;
});
