import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { busOf } from '../../../lib/events/bus.ts';
import type { DeadLetteredRecord } from '../../../lib/events/dead-letter-queue.ts';
import { publish } from '../../../lib/events/publish.ts';
import { changeOf, eventsOfChange, tableOf } from '../../../lib/events/stream-record.ts';
import { awsClient } from '../../aws/aws-client.ts';
import { commandOf, flag, runMain } from '../../command.ts';
import { jsonOrUndefined } from '../../files/json-or-undefined.ts';
import { type Outcome, redrive } from '../shared/redrive.ts';
import { openStage, originOf, stageOptions, stageUsage } from '../shared/stage.ts';

const usage = `npm run events:redrive -- --stage NAME [--delete-unpublishable] [--yes]
Publishes the records of the dead-letter queue that the publisher could not publish. It maps them with the code of this
checkout, and deletes only records whose events the bus accepted. You can run it again: an event that is published twice
has the same id. It does not publish a record of another table than the stage's current one, because such a record
belongs to an earlier generation.
Exit code 0: no record is left, or --yes was not given. 1: some are left. 2: it failed.
${stageUsage}
  --delete-unpublishable
                   also deletes messages that can never be published: without images, or of another table. Before
                   it, publish the current state with npm run events:republish
  --yes            does it. Without it, prints what it would do, and changes nothing`;

const options = { ...stageOptions, yes: flag, 'delete-unpublishable': flag };
const definition = { usage, options, failure: 'The records could not be published', unable: 2 };

const stays = (what: string): Outcome => ({ what: what.replace(/\s+/g, ' '), isDone: false });

export const command = commandOf(definition, async values => {
  const { yes, 'delete-unpublishable': isDeletion } = values;
  const deletion = yes ? 'Deleted' : 'Would be deleted';
  const unpublishable = (what: string): Outcome => ({
    what: `${what}. ${isDeletion ? deletion : 'Publish the current state (npm run events:republish), then add --delete-unpublishable'}`,
    isDone: isDeletion,
  });
  const stage = await openStage(values);
  const bus = busOf(awsClient(EventBridgeClient), stage.output('EventBusName'));
  const [current, origin] = [stage.output('TableName'), originOf(stage)];

  const take = async ({ Body }: { Body?: string }): Promise<Outcome> => {
    const message: Partial<DeadLetteredRecord> & { DDBStreamBatchInfo?: object } =
      jsonOrUndefined(Body) ?? {};
    const { record, reason } = message;
    // Lambda sends this when it discards records at an age of 23 hours. The stream keeps the images for only one more hour.
    if (message.DDBStreamBatchInfo)
      return unpublishable('a message of Lambda without images: the change is lost');
    if (!record?.dynamodb) return stays('not a message of this service');
    const { Keys, OldImage, NewImage } = record.dynamodb;
    const name = `${Keys?.pk?.S} (${String(reason).replace(/\s+/g, ' ')})`;
    // A sequence begins with the table's generation. With the current one, a record of an earlier table could look newer.
    const table = tableOf(record);
    if (table !== undefined && table !== current)
      return unpublishable(`${name}: of another table, ${table}`);
    if (!OldImage && !NewImage)
      return unpublishable(`${name}: without images, so the change is lost`);
    try {
      const events = eventsOfChange(changeOf(record), origin);
      const types = events.map(({ type }) => type).join(', ') || 'no event';
      if (!yes) return stays(`${name}: would publish ${types}`);
      const entries = events.map(event => ({ event }));
      const { rejected, remaining } = await publish(bus, entries);
      const error = (rejected[0] ?? remaining[0])?.error;
      if (error)
        return stays(`${name}: the bus rejected it: ${error.message || error.code || error}`);
      return { what: `${name}: published ${types}`, isDone: true };
    } catch (error) {
      return stays(`${Keys?.pk?.S}: still cannot be published: ${(error as Error).message}`);
    }
  };
  return redrive(stage.output('EventsDeadLetterQueueUrl'), !yes, take);
});

if (import.meta.main) await runMain(command);
