import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { busOf } from '../../../lib/events/bus.ts';
import { presentEventsOf } from '../../../lib/events/changes.ts';
import { type CloudEvent, toCloudEvent } from '../../../lib/events/cloud-event.ts';
import { untold } from '../../../lib/model/table/keys.ts';
import { prices } from '../../config/prices.ts';
import { tableReader } from '../audit/table-reader.ts';
import { commandOf, WrongUse } from '../shared/command.ts';
import { createRateLimit } from '../shared/rate-limit.ts';
import { insist } from './insist.ts';
import { stageOf, stageOptions, stageUsage } from './stage.ts';

const usage = `npm run events:republish -- --table NAME --stage NAME --bus NAME [--rate N] [--from PLACE] [--dry-run]
Tells every pet, category, stock and order as it is, with the sequence that it has: for who subscribed late, or missed something. To
repeat it is harmless: who has what is told drops it as old. What was deleted cannot be told so: who may have missed a deletion
folds into an empty store.
  --table NAME     the table: the stack's output TableName
${stageUsage}
  --rate N         events a second (default 50; locally as fast as it goes)
  --from PLACE     begins behind an item: where another run says that it was
  --patience N     seconds for which the bus, or the way to it, may take nothing (default 120)
  --dry-run        says what it would cost, and ends
  --help           say this
Exits with 0 when everything was told, with 1 when an item could not be, with 2 when it had to stop.
It needs dynamodb:DescribeTable and Scan on the table, events:PutEvents on the bus.`;

/** Events that are told between two waits. */
const chunk = 100;
/** A pet tells itself and its stock. */
const eventsPerItem = 2;

const { count, readOptions, run } = commandOf(usage, { unable: 2 });
const { values } = readOptions({
  ...stageOptions,
  table: { type: 'string' },
  rate: { type: 'string' },
  from: { type: 'string' },
  patience: { type: 'string', default: '120' },
  'dry-run': { type: 'boolean', default: false },
});

/** As it is printed, an item's key with a comma between its parts. */
const placeOf = ({ pk, sk }: { pk: string; sk: string }) => `${pk},${sk}`;
const keyAt = (place: string) => {
  const [, pk, sk] = /^(.+),([^,]+)$/.exec(place) ?? [];
  if (!pk || !sk) throw new WrongUse(`--from ${place} is no place; a run that was cut off has printed one.`);
  return { pk, sk };
};

await run(async () => {
  const { table: given, rate: perSecond, from, patience: seconds, 'dry-run': isDry, ...named } = values;
  const stage = await stageOf(named);
  const table = given ?? stage.table;
  if (!table) throw new WrongUse('Which table? --table NAME');
  const after = from === undefined ? undefined : keyAt(from);
  const patience = count('patience', seconds) * 1000;
  const rate = perSecond ? count('rate', perSecond) : named.local ? Number.POSITIVE_INFINITY : 50;
  const at = (endpoint: string | undefined) => ({ ...stage.client, ...(endpoint && { endpoint }) });
  const dynamoDb = new DynamoDBClient({ ...at(stage.tableEndpoint), maxAttempts: 10 });
  const bus = busOf(new EventBridgeClient(at(stage.eventsEndpoint)), stage.bus);
  // What the bus is told paces the reading.
  const reader = tableReader(dynamoDb, table, Number.POSITIVE_INFINITY);

  const { items, bytes } = await reader.size();
  const units = Math.ceil(bytes / 4096) + items * 0.01;
  const most = items * eventsPerItem;
  const dollars = units * prices.readRequestUnit + most * prices.eventPut;
  const duration = Number.isFinite(rate) ? `, ${Math.ceil(most / rate)} s at ${rate} events a second` : '';
  console.error(
    `${table} had ${items} items when DynamoDB last counted, within six hours. To tell them takes at most ${most} events and ${Math.ceil(units)} read request units: $${dollars.toFixed(6)}${duration}; and what your rules' targets cost.`,
  );
  if (isDry) return 0;

  const wait = createRateLimit(rate);
  let pending: CloudEvent[] = [];
  let told = 0;
  let read = 0;
  let faults = 0;
  /** The last item of which everything was told, as of all before it. */
  let place = from;
  const goOn = () => (place === undefined ? '' : `--from '${place}'`);
  const flush = async () => {
    await sleep(wait(pending.length));
    const outcome = await insist(bus, pending, patience, cause =>
      console.error(`The bus takes nothing (${(cause as Error).message}); it is asked again for ${seconds} s.`),
    ).catch(cause => {
      const { code = '', message = '' } = cause as { code?: string; message?: string };
      const again = place === undefined ? 'Run it again later' : `Run it again later with ${goOn()}`;
      throw new Error(
        `The bus stopped taking events after ${told}: ${message || code || cause}\nWhat was told stays told. ${again}.`,
      );
    });
    for (const [{ subject }, { code, message }] of outcome.refused) {
      faults += 1;
      console.log(`${subject}: the bus refuses it: ${code}: ${message}`);
    }
    told += outcome.told;
    pending = [];
  };
  await reader
    .eachItem(async item => {
      read += 1;
      if (read % 1000 === 0) console.error(`${read} items read, ${told} events told ${goOn()}`.trim());
      if (item.sk === untold) return;
      try {
        const now = new Date();
        pending.push(...presentEventsOf(item).map(telling => toCloudEvent(telling, stage, now)));
      } catch (error) {
        faults += 1;
        console.log(`${item.pk}: cannot be told: ${(error as Error).message}`);
      }
      if (pending.length < chunk) return;
      await flush();
      place = placeOf(item as { pk: string; sk: string });
    }, after)
    .catch(error => {
      // The table was cut off, not the bus.
      if (place !== undefined && !error.message.includes(goOn())) error.message += `\nGo on with ${goOn()}`;
      throw error;
    });
  await flush();
  console.log(`${read} items: ${told} events told, ${faults} could not be.`);
  return faults > 0 ? 1 : 0;
});
