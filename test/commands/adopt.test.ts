import { DescribeTableCommand, RestoreTableToPointInTimeCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Template } from '../../cdk/build/template.ts';
import { settingsOf } from '../../cdk/config/settings.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { indexes } from '../../lib/model/table/indexes.ts';
import { type CloudFormation, outputsOf, startCloudFormation } from '../support/cloud-formation.ts';
import { stockedPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { type RestoreEmulator, startRestoreEmulator } from '../support/restore-emulator.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';

// Before there is a connection: synthesis blocks the process for longer than a server keeps one.
const { template } = await synthesizeShared({ stage: 'beta' });
const withoutEvents = await synthesizeShared({ stage: 'dev', settings: { events: false } });
const petstore = usePetstore();
let engine: RestoreEmulator;
let cloudFormation: CloudFormation;
let client: ReturnType<typeof connect>;

beforeAll(async () => {
  engine = await startRestoreEmulator(inject('endpoint'));
  client = connect(engine.url);
  const stackOf = (of: Template) => ({
    template: of,
    outputs: { ...outputsOf(of, { TableName: petstore.tableName }), EventsGeneration: '7' },
  });
  const stacks = { 'petstore-beta': stackOf(template), 'petstore-dev': stackOf(withoutEvents.template) };
  cloudFormation = await startCloudFormation(new Map(Object.entries(stacks)));
  const { id: petId } = await stockedPet(petstore.staff, 5);
  for (const complete of [false, true])
    expect((await petstore.staff('POST', '/store/orders', { body: { petId, complete } })).status).toBe(201);
});
afterAll(async () => {
  client.destroy();
  await engine.stop();
  cloudFormation.stop();
});

let restores = 0;
/** As the line of the AWS CLI in cdk/RUNBOOK.md does. @returns the name of the new table */
const restore = async (stage = 'beta'): Promise<string> => {
  const TargetTableName = `petstore-${stage}-restored-${petstore.tableName}-${restores++}`;
  await client.send(new RestoreTableToPointInTimeCommand({ SourceTableName: petstore.tableName, TargetTableName }));
  return TargetTableName;
};
let front: string | undefined;
/** Until the end of a test, what DynamoDB returns is changed. */
const rewriteResponses = async (change: (text: string) => string) => {
  const proxy = await startRewritingProxy(engine.url);
  front = proxy.url;
  onTestFinished(() => {
    front = undefined;
    proxy.stop();
  });
  proxy.rewrite = {
    request: ({ headers }) => {
      delete headers['accept-encoding'];
      return undefined;
    },
    response: response => {
      response.body = change(String(response.body));
      for (const name of ['content-length', 'x-amz-crc32']) delete response.headers[name];
    },
  };
};
const adopt = async (table: string, ...args: string[]) => {
  engine.changes.length = 0;
  const environment = { ...cloudFormation.environment, AWS_ENDPOINT_URL_DYNAMODB: front ?? engine.url };
  const options = ['--stage', 'beta', '--table', table, '--rate', '9999'];
  const { code, output } = await runInProcess('cdk/commands/adopt.ts', [...options, ...args], environment);
  return { code, output, changes: engine.changes.map(([operation]) => operation) };
};
const describeTable = async (TableName: string) => (await client.send(new DescribeTableCommand({ TableName }))).Table!;

describe('npm run adopt', () => {
  it('prints what a restored table lacks, and changes nothing without --yes', async () => {
    const { code, output, changes } = await adopt(await restore());
    expect([code, changes]).toEqual([0, []]);
    expect(output.match(/^….*$/gm)).toEqual([expect.stringMatching(/^… petstore-beta-restored-\S+ is not found yet$/)]);
    expect(output).toContain('deletion protection: false, wanted true\n');
    expect(output).toContain('Nothing was changed. Run it again with --yes to do it.');
  });

  it('sets what a restore does not copy, one kind of change at a time, and prints the settings of the stage', async () => {
    const TableName = await restore();
    const { code, output } = await adopt(TableName, '--yes');
    expect(code, output).toBe(0);
    const { TableArn, LatestStreamArn } = await describeTable(TableName);
    const maximum = ({ read, write }: { read: number; write: number }) => ({
      MaxReadRequestUnits: read,
      MaxWriteRequestUnits: write,
    });
    const { maxRequestUnits } = settingsOf('beta');
    expect(engine.changes.map(([, input]) => input)).toEqual([
      { ResourceArn: TableArn, Tags: [{ Key: 'petstore:stage', Value: 'beta' }] },
      { TableName, DeletionProtectionEnabled: true },
      {
        TableName,
        OnDemandThroughput: maximum(maxRequestUnits.table),
        GlobalSecondaryIndexUpdates: indexes.map(({ key, name }) => ({
          Update: { IndexName: name, OnDemandThroughput: maximum(maxRequestUnits[key]) },
        })),
      },
      { TableName, StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } },
      { TableName, TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } },
      { TableName, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    ]);
    // One more than the deployed stage has.
    expect(output).toContain(`  adoptedTable: {
    arn: '${TableArn}',
    streamArn: '${LatestStreamArn}',
    generation: 8,
  },
  eventsGeneration: 8,
`);
    expect(await adopt(TableName, '--yes')).toMatchObject({ code: 0, changes: [] });
  });

  it.each([
    ['UpdateTimeToLive', /^time to live: undefined, wanted "expiresAt"$/m],
    ['UpdateContinuousBackups', /^point-in-time recovery: false, wanted true$/m],
    ['TagResource', /^tags: \["petstore:stage=undefined"\], wanted \["petstore:stage=beta"\]$/m],
  ])('finds what %s did not set, and sets only that when it runs again', async (operation, difference) => {
    const table = await restore();
    engine.forgets.add(operation);
    const first = await adopt(table, '--yes');
    engine.forgets.delete(operation);
    expect([first.code, first.output]).toEqual([1, expect.stringMatching(difference)]);
    expect(first.output).toContain(' items, 1 differences.');
    expect(await adopt(table, '--yes')).toMatchObject({ code: 0, changes: [operation] });
  });

  it('does not enable a time to live again that is still ENABLING', async () => {
    const table = await restore();
    expect(await adopt(table, '--yes')).toMatchObject({ code: 0 });
    await rewriteResponses(text => text.replace('"TimeToLiveStatus":"ENABLED"', '"TimeToLiveStatus":"ENABLING"'));
    expect(await adopt(table, '--yes')).toMatchObject({ code: 0, changes: [] });
  });

  it.each([
    ['with other fields', '"quantity"', '"other"'],
    ['with another key', '"AttributeName":"byGroup"', '"AttributeName":"other"'],
  ])('finds an index %s, which nothing can change', async (_, text, other) => {
    const table = await restore();
    await rewriteResponses(response => response.replaceAll(text, other));
    expect((await adopt(table)).output).toMatch(/^Nothing can change this\. indexes: /m);
  });

  it('finds the mismatch of a lost item, and prints the settings all the same', async () => {
    engine.loses = ({ sk, complete }) => sk.S === 'ORDER' && complete.BOOL === false;
    const table = await restore();
    engine.loses = () => false;
    const { code, output } = await adopt(table, '--yes');
    expect(output).toMatch(/^PET#\d+ reservedQuantity: is 1; its open orders have 0 units$/m);
    expect([code, output]).toEqual([1, expect.stringContaining(`arn: '${(await describeTable(table)).TableArn}'`)]);
  });

  it('prints no stream for a stage without events, and no settings for a table that lacks the stream', async () => {
    const table = await restore('dev');
    const quiet = await adopt(table, '--stage', 'dev', '--yes');
    const { TableArn } = await describeTable(table);
    expect([quiet.code, quiet.output]).toEqual([
      0,
      expect.stringContaining(`arn: '${TableArn}',\n    generation: 8,\n`),
    ]);
    // Nothing disables the stream that a table has.
    await client.send(
      new UpdateTableCommand({
        TableName: table,
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    );
    const streaming = (await adopt(table, '--stage', 'dev', '--yes')).output;
    expect(streaming).toContain('Nothing can change this. stream: "NEW_AND_OLD_IMAGES", wanted undefined');
    engine.forgets.add('UpdateTable');
    const { code, output } = await adopt(await restore(), '--yes');
    engine.forgets.delete('UpdateTable');
    expect([code, output]).toEqual([
      1,
      expect.stringContaining('The table has no stream, so the stage cannot use it.'),
    ]);
    expect(output).not.toContain('adoptedTable');
  });

  it.each([
    [
      ['--stage', 'nowhere', '--table', 'petstore-nowhere-restored-x'],
      'The stack petstore-nowhere in eu-west-1 does not',
    ],
    [['--stage', 'dev', '--table', 'petstore-beta-restored-x'], 'does not begin with petstore-dev-restored-.'],
    [['--stage', 'beta'], 'Which table? --table NAME'],
    [['--table', 'x'], 'Which stage? --stage NAME'],
    [['--stage', 'beta', '--table', 'petstore-beta-restored-'], 'It does not exist in this region and account.'],
  ])('prints what to do about %j', async (args, message) => {
    const environment = { ...cloudFormation.environment, AWS_ENDPOINT_URL_DYNAMODB: engine.url };
    const { code, output } = await runInProcess('cdk/commands/adopt.ts', args, environment);
    expect([code, output]).toEqual([1, expect.stringContaining(message)]);
  });
});
