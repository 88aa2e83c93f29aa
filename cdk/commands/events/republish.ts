import { setTimeout as sleep } from 'node:timers/promises';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { busOf } from '../../../lib/events/bus.ts';
import { currentEventsOf } from '../../../lib/events/changes.ts';
import { type CloudEvent, toCloudEvent } from '../../../lib/events/cloud-event.ts';
import { idempotencySortKey } from '../../../lib/model/table/keys.ts';
import { prices } from '../../config/prices.ts';
import { tableReader } from '../audit/table-reader.ts';
import { commandOf } from '../shared/command.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import { openStage, stageOptions, stageUsage } from '../shared/stage.ts';
import { dynamoDbClient } from '../shared/stage-table.ts';
import { originOf } from './origin.ts';
import { publishWithRetry } from './publish-with-retry.ts';

const usage = `npm run events:republish -- --stage NAME [--rate N] [--timeout N] [--dry-run]
Publishes the current state of every pet, category, stock and order, with its current sequence: for subscribers that came
late or lost events. You can run it again: a receiver drops an event whose sequence it has. Deleted items have no event: a
receiver that may have missed a deletion rebuilds its state from an empty store.
${stageUsage}
  --rate N         events a second (default 50; with --local no limit)
  --timeout N      seconds for which the bus may take no event (default 120)
  --dry-run        prints the cost, and ends
  --help           prints this
Exits with 0 when it published everything, with 1 when it could not publish some items, with 2 when it failed.`;

/** Events that are published between two waits. */
const batchSize = 100;
/** A pet has an event of its own and one of its stock. */
const eventsPerItem = 2;

const { count, readOptions, run } = commandOf(usage, { unable: 2 });
const { values } = readOptions({
  ...stageOptions,
  rate: { type: 'string' },
  timeout: { type: 'string', default: '120' },
  'dry-run': { type: 'boolean', default: false },
});

await run(async () => {
  const timeout = count('timeout', values.timeout);
  const rate = values.rate ? count('rate', values.rate) : values.local ? Number.POSITIVE_INFINITY : 50;
  const stage = await openStage(values);
  const table = stage.output('TableName');
  const origin = originOf(stage);
  const bus = busOf(new EventBridgeClient(), stage.output('EventBusName'));
  // The rate of the bus bounds the reads as well.
  const reader = tableReader(dynamoDbClient(), table, Number.POSITIVE_INFINITY);

  const { items, bytes } = await reader.size();
  const units = Math.ceil(bytes / 4096) + items * 0.01;
  const most = items * eventsPerItem;
  const dollars = units * prices.readRequestUnit + most * prices.eventPut;
  const duration = Number.isFinite(rate) ? `, ${Math.ceil(most / rate)} s at ${rate} events a second` : '';
  console.error(
    `${table} had ${items} items when DynamoDB last counted them, up to six hours ago. Republishing takes at most ${most} events and ${Math.ceil(units)} read request units: $${dollars.toFixed(6)}${duration}; and the cost of the targets of your rules.`,
  );
  if (values['dry-run']) return 0;

  const wait = createRateLimit(rate);
  let pending: CloudEvent[] = [];
  let published = 0;
  let read = 0;
  let failures = 0;
  const flush = async () => {
    await sleep(wait(pending.length));
    const outcome = await publishWithRetry(bus, pending, timeout * 1000, cause =>
      console.error(`The bus takes no events (${(cause as Error).message}). Retrying for ${timeout} s.`),
    ).catch(cause => {
      const { code = '', message = '' } = cause as { code?: string; message?: string };
      throw new Error(
        `The bus took no more events after ${published}: ${message || code || cause}\nRun it again later.`,
      );
    });
    for (const [{ subject }, { code, message }] of outcome.refused) {
      failures += 1;
      console.log(`${subject}: the bus rejected the event: ${code}: ${message}`);
    }
    published += outcome.published;
    pending = [];
  };
  await reader.eachItem(async item => {
    read += 1;
    if (read % 1000 === 0) console.error(`${read} items read, ${published} events published`);
    if (item.sk === idempotencySortKey) return;
    try {
      const now = new Date();
      pending.push(...currentEventsOf(item).map(change => toCloudEvent(change, origin, now)));
    } catch (error) {
      failures += 1;
      console.log(`${item.pk}: cannot be published: ${(error as Error).message}`);
    }
    if (pending.length >= batchSize) await flush();
  });
  await flush();
  console.log(`${read} items: ${published} events published, ${failures} failed.`);
  return failures > 0 ? 1 : 0;
});
