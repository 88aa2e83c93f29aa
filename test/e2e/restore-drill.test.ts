import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { contentFaults, countsOf, createStock } from '../../cdk/commands/restore-drill/contents.ts';
import { definitionOf } from '../../cdk/commands/restore-drill/definition.ts';
import { drill as runDrill } from '../../cdk/commands/restore-drill/drill.ts';
import { reapplying, removing, restoring } from '../../cdk/commands/restore-drill/steps.ts';
import { settingsOf, withOwnTable } from '../../cdk/config/settings.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { type CloudFormation, outputsOf, startCloudFormation } from '../support/cloud-formation.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';
import { type RestoreEmulator, startRestoreEmulator } from './restore-emulator.ts';

const petstore = usePetstore();
const client = connect(inject('endpoint'));
let engine: RestoreEmulator;
let cloudFormation: CloudFormation;

beforeAll(async () => {
  engine = await startRestoreEmulator(inject('endpoint'));
  const { template } = await synthesizeShared({ stage: 'beta', settings: withOwnTable });
  const outputs = { ...outputsOf(template, { TableName: petstore.tableName }), EventsGeneration: '7' };
  cloudFormation = await startCloudFormation(new Map([['petstore-beta', { template, outputs }]]));
  const category = await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
  const pet = await petstore.staff('POST', '/pets', { body: { name: 'Tom', categoryId: category.body.id } });
  await petstore.staff('PUT', `/store/inventory/${pet.body.id}`, { body: { quantity: 5 } });
  for (const complete of [false, true])
    await petstore.staff('POST', '/store/orders', { body: { petId: pet.body.id, complete } });
});
afterAll(async () => {
  await engine.stop();
  cloudFormation.stop();
  client.destroy();
});

const exists = async (table: string) =>
  client.send(new DescribeTableCommand({ TableName: table })).then(
    ({ Table }) => Table,
    () => undefined,
  );

describe('the calls of a restore', () => {
  const moment = new Date('2026-11-21T10:00:00Z');
  const arn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/source';

  it('restore to a point in time, under another name', () => {
    expect(restoring(arn, 'target', moment).command.input).toEqual({
      ...{ SourceTableArn: arn, TargetTableName: 'target', RestoreDateTime: moment },
    });
  });

  it('apply the settings of the template that a restore does not copy, one kind of change at a time', async () => {
    const { template } = await synthesizeShared({ stage: 'beta', settings: withOwnTable });
    const { maxRequestUnits } = settingsOf('beta');
    const maximum = ({ read, write }: { read: number; write: number }) => ({
      ...{ MaxReadRequestUnits: read, MaxWriteRequestUnits: write },
    });
    expect(reapplying('target', arn, definitionOf(template)).map(({ command: { input } }) => input)).toEqual([
      { ResourceArn: arn, Tags: [{ Key: 'petstore:stage', Value: 'beta' }] },
      { TableName: 'target', DeletionProtectionEnabled: true },
      {
        TableName: 'target',
        OnDemandThroughput: maximum(maxRequestUnits.table),
        GlobalSecondaryIndexUpdates: (['all', 'byState', 'byGroup', 'byGroupAndState'] as const).map(key => ({
          Update: { IndexName: `${key}-1`, OnDemandThroughput: maximum(maxRequestUnits[key]) },
        })),
      },
      { TableName: 'target', StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } },
      { TableName: 'target', TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } },
      { TableName: 'target', PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    ]);
  });

  it('delete the restored table', () => {
    expect(removing('target').map(({ command: { input } }) => input)).toEqual([
      { TableName: 'target', DeletionProtectionEnabled: false },
      { TableName: 'target' },
    ]);
  });
});

describe('the restored items', () => {
  const moment = new Date('2026-11-21T10:00:00Z');
  /** An order that was placed this number of minutes after the point in time. */
  const order = (minutes: number) => {
    const id = (moment.getTime() + minutes * 60_000 - Date.UTC(2025, 0, 1)) * 2 ** 12;
    return { pk: `ORDER#${id}`, sk: 'ORDER', id };
  };
  const stockOf = (...items: Parameters<ReturnType<typeof createStock>['add']>[0][]) => {
    const stock = createStock();
    for (const item of items) stock.add(item);
    return stock;
  };
  const old = order(-30);

  it('are all items that are older than the point in time and still exist, and no younger ones', () => {
    expect(contentFaults(stockOf(old, order(5)), stockOf(old, order(-10)), moment)).toEqual([]);
    expect(contentFaults(stockOf(old, order(5)), stockOf(order(-10)), moment)).toEqual([
      `1 items of before that moment were not restored: ${old.pk}`,
    ]);
    expect(contentFaults(stockOf(), stockOf(order(5)), moment)).toEqual([
      `1 restored items are younger than that moment: ${order(5).pk}`,
    ]);
  });

  it('are counted by kind, beside the current items', () => {
    const record = { pk: 'IDEMPOTENCY#x', sk: 'IDEMPOTENCY' };
    expect(countsOf(stockOf(old, order(5)), stockOf(old, record))).toEqual([
      'IDEMPOTENCY: 1 restored, 0 now',
      'ORDER: 1 restored, 2 now',
    ]);
  });
});

describe('a drill', () => {
  let count = 0;

  const drill = async (keep = false, target = `petstore-beta-restored-${petstore.tableName}-${count++}`) => {
    engine.changes.length = 0;
    const { template } = await synthesizeShared({ stage: 'beta', settings: withOwnTable });
    const own = connect(engine.url);
    const output: string[] = [];
    const outcome = await runDrill(
      {
        ...{ client: own, source: petstore.tableName, target, moment: new Date(), definition: definitionOf(template) },
        ...{ shards: 1, rate: Number.POSITIVE_INFINITY, keep, pause: 5 },
      },
      text => output.push(text.trim()),
    );
    own.destroy();
    return { ...outcome, output, target };
  };

  it('restores, applies missing settings, compares, audits and deletes', async () => {
    const { faults, output, target } = await drill();
    expect(faults).toEqual([]);
    expect(output).toEqual(expect.arrayContaining(['ORDER: 2 restored, 2 now', 'PET: 1 restored, 1 now']));
    expect(engine.changes.map(([operation]) => operation)).toEqual([
      ...['RestoreTableToPointInTime', 'TagResource', 'UpdateTable', 'UpdateTable', 'UpdateTable'],
      ...['UpdateTimeToLive', 'UpdateContinuousBackups', 'UpdateTable', 'DeleteTable'],
    ]);
    expect(await exists(target)).toBeUndefined();
  });

  it('finds the inconsistency after a lost item, and does not delete the table', async () => {
    engine.loses = ({ sk, complete }) => sk.S === 'ORDER' && complete.BOOL === false;
    const { faults, target } = await drill();
    engine.loses = () => false;
    expect(faults).toEqual([expect.stringMatching(/^PET#\d+ reservedQuantity: is 1; its open orders have 0 units$/)]);
    expect(await exists(target)).toBeDefined();
  });

  it.each([
    ['UpdateTimeToLive', 'time to live: undefined, and the stage has "expiresAt"'],
    ['UpdateContinuousBackups', 'point-in-time recovery: false, and the stage has true'],
    ['TagResource', 'tag petstore:stage: undefined, and the stage has "beta"'],
  ])('finds a missing effect of %s, and repeats only this call when it resumes', async (operation, fault) => {
    engine.forgets.add(operation);
    const { faults, target } = await drill();
    engine.forgets.delete(operation);
    expect(faults).toEqual([fault]);
    expect((await drill(true, target)).faults).toEqual([]);
    expect(engine.changes.map(([name]) => name)).toEqual([operation]);
  });
});

describe('npm run restore-drill', () => {
  const command = async (...args: string[]) => {
    engine.changes.length = 0;
    const env = { ...cloudFormation.environment, AWS_ENDPOINT_URL_DYNAMODB: engine.url };
    const started = run('cdk/commands/restore-drill/index.ts', ['--stage', 'beta', ...args], { env });
    return { code: await started.exit, output: started.output() };
  };

  it('prints its steps and their cost, and changes nothing without --yes', async () => {
    const { code, output } = await command();
    expect(code).toBe(0);
    expect(output).toMatch(/- restores the table as it was at \d{4}-/);
    expect(output).toMatch(/It costs about \$\d+\.\d\d/);
    expect(output).toContain('Nothing was changed.');
    expect(engine.changes).toEqual([]);
  });

  it('does not delete the restored table with --keep, and prints the settings of the stage', async () => {
    const { code, output } = await command('--yes', '--keep');
    expect(output).toMatch(/^Restored to .* without a fault\.$/m);
    expect(code).toBe(0);
    const table = await exists(/new table (\S+):/.exec(output)![1]!);
    expect(output).toContain(`arn: '${table!.TableArn}'`);
    expect(output).toContain(`streamArn: '${table!.LatestStreamArn}'`);
    // One more than the deployed stage has.
    expect(output).toContain('    generation: 8,\n  },\n  eventsGeneration: 8,\n');
    expect(table!.LatestStreamArn).toMatch(/stream/);

    // The same moment again: a run that was cut off is gone on with, and what was kept is not deleted by a drill.
    const at = /as it was at (\S+)/.exec(output)![1]!;
    const drilled = await command('--yes', '--at', at);
    expect(drilled).toEqual({ code: 1, output: expect.stringContaining('Go on with it with --keep, or take it away') });
    const resumed = await command('--yes', '--keep', '--at', at);
    expect(resumed).toEqual({ code: 0, output: expect.stringContaining('is there already: going on with it.') });
    expect(engine.changes).toEqual([]);
    expect(resumed.output).toContain(`arn: '${table!.TableArn}'`);
  });

  it.each([
    [['--stage', 'nowhere'], 'The stack petstore-nowhere in eu-west-1 does not exist.'],
    [['--at', '2020-01-01T00:00:00Z'], 'not to 2020-01-01T00:00:00.000Z'],
    [['--table', 'none'], 'It does not exist in this region and account.'],
  ])('says what to do about %j', async (args, message) => {
    const { code, output } = await command(...args);
    expect(output).toContain(message);
    expect(code).toBe(1);
  });
});
