import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { busOf } from '../../../lib/events/bus.ts';
import { currentEventsOf } from '../../../lib/events/changes.ts';
import { type CloudEvent, toCloudEvent } from '../../../lib/events/cloud-event.ts';
import { publish } from '../../../lib/events/publish.ts';
import { idempotencySortKey } from '../../../lib/model/table/keys.ts';
import { awsClient } from '../../aws/aws-client.ts';
import { commandOf, count, flag, note, now, print, runMain, text } from '../../command.ts';
import { prices } from '../../config/prices.ts';
import { tableReader } from '../audit/table-reader.ts';
import { plural } from '../shared/plural.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import { openStage, originOf, stageOptions, stageUsage } from '../shared/stage.ts';
import { dynamoDbClient } from '../shared/stage-table.ts';

const usage = `npm run events:republish -- --stage NAME [--rate N] [--yes]
Publishes the current state of every resource, with its current sequence: for subscribers that came late or lost events.
You can run it again: a receiver drops an event whose sequence it has. Deleted items have no event: a receiver that may
have missed a deletion rebuilds its state from an empty store.
Exits with 0 when it published everything, with 1 when it could not publish some items, with 2 when it failed.
${stageUsage}
  --rate N         events, and read request units, a second (default 50; with --local no limit)
  --yes            does it. Without it, prints the cost`;

const batchSize = 100; // events between two waits
/** The most milliseconds of a PutEvents call with its retries, and events of an item: a pet's own and that of its stock. */
const [callTimeout, eventsPerItem] = [120_000, 2];

const options = { ...stageOptions, rate: text, yes: flag };
const definition = { usage, options, failure: 'The events could not be published', unable: 2 };

export const command = commandOf(definition, async values => {
  const defaultRate = values.local ? Number.POSITIVE_INFINITY : 50;
  const rate = values.rate ? count('rate', values.rate) : defaultRate;
  const stage = await openStage(values);
  const origin = originOf(stage);
  const reader = tableReader(dynamoDbClient(), stage.output('TableName'), rate);
  const items = await reader.estimate();
  const most = items * eventsPerItem;
  note(
    `Republishing takes at most ${most} events: $${(most * prices.eventPut).toFixed(6)}${Number.isFinite(rate) ? `, ${Math.ceil(most / rate)} s` : ''}; and the cost of the targets of your rules.`,
  );
  if (!values.yes) return note('Nothing was published. Run it again with --yes to do it.');

  const send = busOf(
    awsClient(EventBridgeClient, { maxAttempts: 20 }),
    stage.output('EventBusName'),
  );
  const bus: typeof send = events => send(events, AbortSignal.timeout(callTimeout));
  const { wait } = createRateLimit(rate);
  let [published, read, failures] = [0, 0, 0];
  const fail = (what: string, message: string) => {
    failures += 1;
    print(`${what}: cannot be published: ${message}`);
  };
  /** Sends throttled entries again, until the bus accepts none of them. */
  const send100 = async (entries: Readonly<typeof pending>): Promise<void> => {
    const { published: accepted, rejected, remaining } = await publish(bus, entries);
    published += accepted;
    for (const { event, error } of rejected)
      fail(event.subject, `${error?.code}: ${error?.message}`);
    const [first] = remaining;
    if (!first) return;
    const reason = `The bus took no more events after ${published}. Run it again later`;
    const cause = first.error instanceof Error ? first.error : new Error(first.error?.code);
    if (accepted === 0) throw new Error(reason, { cause });
    await send100(remaining);
  };
  let pending: { readonly event: CloudEvent }[] = [];
  const flush = async () => {
    await wait(pending.length);
    await send100(pending);
    pending = [];
  };
  await reader.eachItem(async item => {
    read += 1;
    if (read % 1000 === 0) note(`${read} items read, ${published} events published`);
    if (item.sk === idempotencySortKey) return;
    try {
      pending.push(
        ...currentEventsOf(item).map(change => ({
          event: toCloudEvent(change, origin, new Date(now())),
        })),
      );
    } catch (error) {
      fail(item.pk, (error as Error).message);
    }
    if (pending.length >= batchSize) await flush();
  });
  await flush();
  print(`${plural(read, 'item')}: ${plural(published, 'event')} published, ${failures} failed.`);
  return failures > 0 ? 1 : 0;
});

if (import.meta.main) await runMain(command);
