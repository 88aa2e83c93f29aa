import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Template } from '../../cdk/build/template.ts';
import { contentDifferences, countsOf, createContents } from '../../cdk/commands/restore-drill/contents.ts';
import { definitionOf } from '../../cdk/commands/restore-drill/definition.ts';
import { differencesOf } from '../../cdk/commands/restore-drill/differences.ts';
import { drill as runDrill } from '../../cdk/commands/restore-drill/drill.ts';
import { removalSteps, restoreStep, settingSteps } from '../../cdk/commands/restore-drill/steps.ts';
import type { TableState } from '../../cdk/commands/restore-drill/table-state.ts';
import { settingsOf, withOwnTable } from '../../cdk/config/settings.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { indexes } from '../../lib/model/table/indexes.ts';
import { type CloudFormation, outputsOf, startCloudFormation } from '../support/cloud-formation.ts';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';
import { type RestoreEmulator, startRestoreEmulator } from './restore-emulator.ts';

// Before there is a connection: synthesis blocks the process for longer than a server keeps one.
const { template } = await synthesizeShared({ stage: 'beta', settings: withOwnTable });
const withoutEvents = await synthesizeShared({ stage: 'dev', settings: { ...withOwnTable, events: false } });
const petstore = usePetstore();
const client = connect(inject('endpoint'));
let engine: RestoreEmulator;
let cloudFormation: CloudFormation;

beforeAll(async () => {
  engine = await startRestoreEmulator(inject('endpoint'));
  const stackOf = (template: Template) => ({
    ...{ template, outputs: { ...outputsOf(template, { TableName: petstore.tableName }), EventsGeneration: '7' } },
  });
  const stacks = { 'petstore-beta': stackOf(template), 'petstore-dev': stackOf(withoutEvents.template) };
  cloudFormation = await startCloudFormation(new Map(Object.entries(stacks)));
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

describe('the steps of a restore', () => {
  const moment = new Date('2026-11-21T10:00:00Z');
  const arn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/source';

  it('restore a table to a time, with a new name', () => {
    expect(restoreStep(arn, 'target', moment).command.input).toEqual({
      ...{ SourceTableArn: arn, TargetTableName: 'target', RestoreDateTime: moment },
    });
  });

  it('apply the settings of the template that a restore does not copy, one kind of change at a time', async () => {
    const { maxRequestUnits } = settingsOf('beta');
    const maximum = ({ read, write }: { read: number; write: number }) => ({
      ...{ MaxReadRequestUnits: read, MaxWriteRequestUnits: write },
    });
    expect(settingSteps('target', arn, definitionOf(template)).map(({ command: { input } }) => input)).toEqual([
      { ResourceArn: arn, Tags: [{ Key: 'petstore:stage', Value: 'beta' }] },
      { TableName: 'target', DeletionProtectionEnabled: true },
      {
        TableName: 'target',
        OnDemandThroughput: maximum(maxRequestUnits.table),
        GlobalSecondaryIndexUpdates: indexes.map(({ key, name }) => ({
          Update: { IndexName: name, OnDemandThroughput: maximum(maxRequestUnits[key]) },
        })),
      },
      { TableName: 'target', StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } },
      { TableName: 'target', TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } },
      { TableName: 'target', PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    ]);
  });

  it('delete the table', () => {
    expect(removalSteps('target').map(({ command: { input } }) => input)).toEqual([
      { TableName: 'target', DeletionProtectionEnabled: false },
      { TableName: 'target' },
    ]);
  });
});

describe('the contents of a restored table', () => {
  const moment = new Date('2026-11-21T10:00:00Z');
  /** An order that was placed so many minutes after the time of the restore. */
  const order = (minutes: number) => {
    const id = (moment.getTime() + minutes * 60_000 - Date.UTC(2025, 0, 1)) * 2 ** 12;
    return { pk: `ORDER#${id}`, sk: 'ORDER', id };
  };
  const contentsOf = (...items: Parameters<ReturnType<typeof createContents>['add']>[0][]) => {
    const contents = createContents();
    for (const item of items) contents.add(item);
    return contents;
  };
  const old = order(-30);

  it('have every current item that is older than the time, and no newer item', () => {
    expect(contentDifferences(contentsOf(old, order(5)), contentsOf(old, order(-10)), moment)).toEqual([]);
    expect(contentDifferences(contentsOf(old, order(5)), contentsOf(order(-10)), moment)).toEqual([
      `1 items that are older than the moment were not restored: ${old.pk}`,
    ]);
    expect(contentDifferences(contentsOf(), contentsOf(order(5)), moment)).toEqual([
      `1 restored items are newer than the moment: ${order(5).pk}`,
    ]);
    const lost = [-7, -6, -5, -4, -3, -2].map(order);
    expect(contentDifferences(contentsOf(...lost), contentsOf(), moment)).toEqual([
      `6 items that are older than the moment were not restored: ${lost
        .slice(0, 5)
        .map(({ pk }) => pk)
        .join(', ')}`,
    ]);
    // The clock of a function can differ from the clock of DynamoDB.
    expect(contentDifferences(contentsOf(order(-0.5)), contentsOf(order(0.5)), moment)).toEqual([]);
    expect(contentDifferences(contentsOf(order(-1)), contentsOf(order(1)), moment)).toEqual([]);
    expect(contentDifferences(contentsOf(order(-1.1)), contentsOf(order(1.1)), moment)).toHaveLength(2);
  });

  it('are counted by kind, beside the current table', () => {
    const record = { pk: 'IDEMPOTENCY#x', sk: 'IDEMPOTENCY' };
    expect(countsOf(contentsOf(old, order(5)), contentsOf(old, record))).toEqual([
      'IDEMPOTENCY: 1 restored, 0 now',
      'ORDER: 1 restored, 2 now',
    ]);
  });
});

describe('the differences between a table and its definition', () => {
  const definition = definitionOf(template);
  const indexes = () =>
    definition.indexes.map(({ IndexName, KeySchema, Projection, maximum }) => ({
      ...{ IndexName, KeySchema, Projection: structuredClone(Projection), OnDemandThroughput: maximum },
    }));
  const state = (): TableState => ({
    table: {
      KeySchema: definition.keySchema,
      GlobalSecondaryIndexes: indexes(),
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      OnDemandThroughput: definition.maximum,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      DeletionProtectionEnabled: true,
    },
    ...{ timeToLiveAttribute: 'expiresAt', recoverable: true },
    tags: [{ Key: 'petstore:stage', Value: 'beta' }],
  });
  const found = (table: Partial<TableState['table']>, more: Partial<TableState> = {}) =>
    differencesOf({ ...state(), ...more, table: { ...state().table, ...table } }, definition).map(
      difference => difference.split(':')[0],
    );
  const first = definition.indexes[0]!.IndexName;
  const changed = (index: object) => {
    const [one, ...rest] = indexes();
    return found({ GlobalSecondaryIndexes: [...rest, { ...one, ...index }] });
  };

  it('are none when every setting is equal, in any order', () => {
    expect(found({ GlobalSecondaryIndexes: indexes().reverse() })).toEqual([]);
    const reversed = indexes().map(({ Projection, ...index }) => ({
      ...index,
      Projection: { ...Projection, NonKeyAttributes: [...(Projection?.NonKeyAttributes ?? [])].reverse() },
    }));
    expect(found({ GlobalSecondaryIndexes: reversed })).toEqual([]);
  });

  it('are found in each setting', () => {
    expect(found({ KeySchema: [] })).toEqual(['key']);
    expect(found({ BillingModeSummary: { BillingMode: 'PROVISIONED' } })).toEqual(['billing']);
    expect(found({ OnDemandThroughput: { ...definition.maximum, MaxReadRequestUnits: 1 } })).toEqual(['maximum units']);
    expect(found({ StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } })).toEqual(['stream']);
    expect(found({ DeletionProtectionEnabled: undefined })).toEqual(['deletion protection']);
    expect(found({}, { timeToLiveAttribute: undefined })).toEqual(['time to live']);
    expect(found({}, { recoverable: false })).toEqual(['point-in-time recovery']);
    expect(found({}, { tags: [{ Key: 'petstore', Value: 'beta' }] })).toEqual(['tag petstore']);
    expect(changed({ KeySchema: [] })).toEqual([`key of ${first}`]);
    expect(changed({ Projection: { NonKeyAttributes: ['one'] } })).toEqual([`projection of ${first}`]);
    expect(changed({ OnDemandThroughput: undefined })).toEqual([`maximum units of ${first}`]);
    expect(found({ GlobalSecondaryIndexes: [...indexes(), { IndexName: 'more' }] })).toEqual(['indexes']);
  });
});

describe('a drill', () => {
  let count = 0;

  const drill = async (
    keep = false,
    target = `petstore-beta-restored-${petstore.tableName}-${count++}`,
    moment = new Date(),
  ) => {
    engine.changes.length = 0;
    const own = connect(engine.url);
    const progress: string[] = [];
    const outcome = await runDrill(
      {
        ...{ client: own, source: petstore.tableName, target, moment, definition: definitionOf(template) },
        ...{ shards: 1, rate: Number.POSITIVE_INFINITY, keep, pause: 5 },
      },
      text => progress.push(text.trim()),
    );
    own.destroy();
    return { ...outcome, progress, target };
  };

  it('restores, applies settings, compares, audits and deletes', async () => {
    const { differences, progress, target } = await drill();
    expect(differences).toEqual([]);
    expect(progress).toEqual(expect.arrayContaining(['ORDER: 2 restored, 2 now', 'PET: 1 restored, 1 now']));
    expect(engine.changes.map(([operation]) => operation)).toEqual([
      ...['RestoreTableToPointInTime', 'TagResource', 'UpdateTable', 'UpdateTable', 'UpdateTable'],
      ...['UpdateTimeToLive', 'UpdateContinuousBackups', 'UpdateTable', 'DeleteTable'],
    ]);
    expect(await exists(target)).toBeUndefined();
  });

  it('finds the mismatch of a lost item, and keeps the table', async () => {
    engine.loses = ({ sk, complete }) => sk.S === 'ORDER' && complete.BOOL === false;
    const { differences, target } = await drill();
    engine.loses = () => false;
    expect(differences).toEqual([
      expect.stringMatching(/^PET#\d+ reservedQuantity: is 1; its open orders have 0 units$/),
    ]);
    expect(await exists(target)).toBeDefined();
  });

  it('finds restored items that are newer than the moment', async () => {
    const { differences } = await drill(false, undefined, new Date(Date.now() - 3_600_000));
    expect(differences).toEqual([expect.stringMatching(/^\d+ restored items are newer than the moment: /)]);
  });

  it.each([
    ['UpdateTimeToLive', 'time to live: undefined, expected "expiresAt"'],
    ['UpdateContinuousBackups', 'point-in-time recovery: false, expected true'],
    ['TagResource', 'tag petstore:stage: undefined, expected "beta"'],
  ])('finds what %s did not set, and sets only that when it continues', async (operation, difference) => {
    engine.forgets.add(operation);
    const { differences, target } = await drill();
    engine.forgets.delete(operation);
    expect(differences).toEqual([difference]);
    expect((await drill(true, target)).differences).toEqual([]);
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
    expect(output).toMatch(/- restore the table to \d{4}-/);
    expect(output).toMatch(/It costs about \$\d+\.\d\d/);
    expect(output).toContain('Nothing was changed.');
    expect(engine.changes).toEqual([]);
  });

  it('prints the cost of a large table, and other steps with --keep', async () => {
    const large = await startRewritingProxy(engine.url);
    onTestFinished(large.stop);
    large.rewrite = {
      request: ({ headers }) => {
        delete headers['accept-encoding'];
        return undefined;
      },
      response: response => {
        const body = JSON.parse(String(response.body));
        if (!body.Table) return;
        response.body = JSON.stringify({ Table: { ...body.Table, ItemCount: 12, TableSizeBytes: 50_000_000_000 } });
        for (const name of ['content-length', 'x-amz-crc32']) delete response.headers[name];
      },
    };
    const env = { ...cloudFormation.environment, AWS_ENDPOINT_URL_DYNAMODB: large.url };
    const printed = async (...args: string[]) => {
      const script = 'cdk/commands/restore-drill/index.ts';
      const { code, output } = await runInProcess(script, ['--stage', 'beta', '--rate', '70', ...args], env);
      expect(code, output).toBe(0);
      return output.replaceAll(/\d{4}-[\d-]+T[\d:.]+Z/g, 'TIME').replaceAll(/restored-\d{14}/g, 'restored-TIME');
    };
    const removal = '  - remove deletion protection\n  - delete the table\n';
    const whole = `${petstore.tableName} has some 12 items, 50.000 GB. The steps, on the new table petstore-beta-restored-TIME:
  - restore the table to TIME
  - add the tags
  - set deletion protection
  - set the maximum request units of the table and its indexes
  - enable the stream
  - enable time to live
  - enable point-in-time recovery
  - compare both tables and audit the new one, at 70 read units a second each
${removal}COST
Nothing was changed. Run it again with --yes to do it.
`;
    const cost =
      'A restore takes twenty minutes to some hours. It costs about $12.08: $0.15 a GB, 36621096 read units; and the storage of the new table while it exists.';
    expect(await printed()).toBe(whole.replace('COST', cost));
    expect(await printed('--keep')).toBe(whole.replace('COST', cost).replace(removal, ''));
  });

  it('keeps the new table with --keep, and prints the settings of the stage', async () => {
    const { code, output } = await command('--yes', '--keep');
    expect(output).toMatch(/^Restored to .* without a difference\.$/m);
    expect(code).toBe(0);
    const table = await exists(/new table (\S+):/.exec(output)![1]!);
    expect(output).toContain(`arn: '${table!.TableArn}'`);
    expect(output).toContain(`streamArn: '${table!.LatestStreamArn}'`);
    // One more than the deployed stage has.
    expect(output).toContain('    generation: 8,\n  },\n  eventsGeneration: 8,\n');
    expect(table!.LatestStreamArn).toMatch(/stream/);

    // The same time again: --keep continues an interrupted run, and a drill does not delete a kept table.
    const at = /restore the table to (\S+)/.exec(output)![1]!;
    const drilled = await command('--yes', '--at', at);
    expect(drilled).toEqual({ code: 1, output: expect.stringContaining('Continue with --keep, or delete it') });
    const resumed = await command('--yes', '--keep', '--at', at);
    expect(resumed).toEqual({ code: 0, output: expect.stringContaining('exists already: continuing with it.') });
    expect(engine.changes).toEqual([]);
    expect(resumed.output).toContain(`arn: '${table!.TableArn}'`);
  });

  it('prints settings without a stream for a stage without events', async () => {
    const { code, output } = await command('--stage', 'dev', '--yes', '--keep');
    expect(code, output).toBe(0);
    const table = await exists(/new table (\S+):/.exec(output)![1]!);
    expect(output).toContain(`    arn: '${table!.TableArn}',\n    generation: 8,\n`);
  });

  it('prints the settings with --keep also when the new table differs, and exits with 1', async () => {
    engine.loses = ({ sk, complete }) => sk.S === 'ORDER' && complete.BOOL === false;
    const { code, output } = await command('--yes', '--keep');
    engine.loses = () => false;
    expect(code).toBe(1);
    expect(output).toContain('1 differences after');
    expect(output).toContain('Use the table only if its differences are acceptable.');
    const table = await exists(/new table (\S+):/.exec(output)![1]!);
    expect(output).toContain(`streamArn: '${table!.LatestStreamArn}'`);
  });

  it('applies the settings to an existing table with --apply, and prints the settings of the stage', async () => {
    engine.forgets.add('UpdateTimeToLive');
    const target = 'petstore-beta-restored-import';
    const own = connect(engine.url);
    const definition = definitionOf(template);
    await runDrill(
      {
        ...{ client: own, source: petstore.tableName, target, moment: new Date(), definition, shards: 1 },
        ...{ rate: Number.POSITIVE_INFINITY, keep: true, pause: 5 },
      },
      () => undefined,
    );
    own.destroy();
    engine.forgets.delete('UpdateTimeToLive');
    const dry = await command('--apply', target);
    expect(dry).toEqual({ code: 0, output: expect.stringContaining('Nothing was changed.') });
    expect(engine.changes).toEqual([]);
    const { code, output } = await command('--apply', target, '--yes');
    expect([code, output]).toEqual([0, expect.stringContaining(`arn: '${(await exists(target))!.TableArn}'`)]);
    expect(engine.changes.map(([operation]) => operation)).toEqual(['UpdateTimeToLive']);
  });

  it.each([
    [['--stage', 'nowhere'], 'The stack petstore-nowhere in eu-west-1 does not exist.'],
    [['--at', 'soon'], '--at soon is not a time such as 2026-11-21T10:00:00Z.'],
    [['--at', '2999-01-01T00:00:00Z'], 'not to 2999-01-01T00:00:00.000Z'],
    [['--apply', 'none', '--at', '2026-11-21T10:00:00Z'], 'use it without --at, --keep and --table.'],
    [['--apply', 'none', '--table', 'other'], 'use it without --at, --keep and --table.'],
    [['--at', '2020-01-01T00:00:00Z'], 'not to 2020-01-01T00:00:00.000Z'],
    [['--table', 'none'], 'It does not exist in this region and account.'],
    [['--apply', 'none'], 'It does not exist in this region and account.'],
    [['--apply', 'none', '--keep'], '--apply restores nothing: use it without --at, --keep and --table.'],
  ])('prints what to do about %j', async (args, message) => {
    const { code, output } = await command(...args);
    expect(output).toContain(message);
    expect(code).toBe(1);
  });
});
