import {
  DescribeTableCommand,
  RestoreTableToPointInTimeCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { recoveryDays } from '../../cdk/config/limits.ts';
import { settingsOf } from '../../cdk/config/settings.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { indexes } from '../../lib/model/table/indexes.ts';
import { outputsOf, startFakeAws } from '../support/fake-aws.ts';
import { stockedPet } from '../support/fixtures.ts';
import { type Hooks, startForwarder } from '../support/forwarder.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { startRestoreEmulator } from '../support/restore-emulator.ts';
import { runCommand } from '../support/run-command.ts';

// Before there are connections: synthesis blocks this process for so long that a server closes idle ones.
const beta = await synthesizeShared({ stage: 'beta' });
const withoutEvents = await synthesizeShared({ stage: 'dev', settings: { events: false } });
const petstore = usePetstore();
const engine = await startRestoreEmulator(inject('endpoint'));
/** Changes the responses of DynamoDB. */
const front = await startForwarder(engine.url);
const client = connect(engine.url);
// The outputs name a table that was deleted.
const deployed = { TableName: 'petstore-deleted', EventsGeneration: '7' };
const stackOf = ({ template }: typeof beta) => ({
  template,
  outputs: outputsOf(template, deployed),
});
const stacks = { 'petstore-beta': stackOf(beta), 'petstore-dev': stackOf(withoutEvents) };
const aws = await startFakeAws(new Map(Object.entries(stacks)));

beforeAll(async () => {
  const { id: petId } = await stockedPet(petstore.staff, 5);
  for (const complete of [false, true])
    expect(
      (await petstore.staff('POST', '/store/orders', { body: { petId, complete } })).status,
    ).toBe(201);
});
afterAll(() => void [client.destroy(), front.stop(), engine.stop(), aws.stop()]);

let restores = 0;
/** As the AWS CLI does in cdk/RUNBOOK.md. @returns the name of the new table */
const restore = async (stage = 'beta', kind = 'restored'): Promise<string> => {
  const TargetTableName = `petstore-${stage}-${kind}-${petstore.tableName}-${restores++}`;
  await client.send(
    new RestoreTableToPointInTimeCommand({ SourceTableName: petstore.tableName, TargetTableName }),
  );
  return TargetTableName;
};
/** Until the end of the test. */
const rewriteResponses = (response: NonNullable<Hooks['response']>) => {
  front.hooks = { response };
  onTestFinished(() => void Object.assign(front, { hooks: {} }));
};
const replaceInResponses = (text: string | RegExp, other: string) =>
  rewriteResponses(
    response => void Object.assign(response, { body: `${response.body}`.replaceAll(text, other) }),
  );
const environment = { ...aws.environment, AWS_ENDPOINT_URL_DYNAMODB: front.url };
const optionsOf = (table: string) => ['--stage', 'beta', '--table', table, '--rate', '9999'];
const adopt = async (table: string, ...args: string[]) => {
  engine.changes.length = 0;
  const { code, output } = await runCommand(
    'cdk/commands/adopt.ts',
    [...optionsOf(table), ...args],
    environment,
  );
  return { code, output, changes: engine.changes.map(([operation]) => operation) };
};
const describeTable = async (TableName: string) =>
  (await client.send(new DescribeTableCommand({ TableName }))).Table!;

it('--yes sets what a restore does not copy, one by one, and prints the settings', async () => {
  const TableName = await restore();
  const dry = await adopt(TableName);
  expect([dry.code, dry.changes]).toEqual([0, []]);
  const waits = ['not found yet', 'CREATING'].map(state => `… ${TableName} is ${state}`);
  expect(dry.output.match(/^….*$/gm)).toEqual(waits);
  const inTurn = ['maximum request units', 'stream', 'time to live', 'point-in-time recovery'];
  const found = ['tags', 'deletion protection: false, wanted true', ...inTurn]
    .map(name => `${name}.*\n`)
    .join('');
  expect(dry.output).toMatch(new RegExp(`${found}Nothing was changed\\. Run it again`));

  const { code, output } = await adopt(TableName, '--yes');
  expect(code, output).toBe(0);
  const { TableArn, LatestStreamArn } = await describeTable(TableName);
  const { maxRequestUnits } = settingsOf('beta');
  const maximumOf = (part: keyof typeof maxRequestUnits) => {
    const { read: MaxReadRequestUnits, write: MaxWriteRequestUnits } = maxRequestUnits[part];
    return { OnDemandThroughput: { MaxReadRequestUnits, MaxWriteRequestUnits } };
  };
  const Updates = indexes.map(({ key, name }) => ({
    Update: { IndexName: name, ...maximumOf(key) },
  }));
  const PointInTimeRecoverySpecification = {
    PointInTimeRecoveryEnabled: true,
    RecoveryPeriodInDays: recoveryDays,
  };
  expect(engine.changes.map(([, input]) => input)).toEqual([
    { ResourceArn: TableArn, Tags: [{ Key: 'petstore-stage', Value: 'beta' }] },
    { TableName, DeletionProtectionEnabled: true },
    { TableName, ...maximumOf('table'), GlobalSecondaryIndexUpdates: Updates },
    {
      TableName,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    },
    { TableName, TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } },
    { TableName, PointInTimeRecoverySpecification },
  ]);
  // The deployed stage has the generation 7.
  const table = `    arn: '${TableArn}',\n    streamArn: '${LatestStreamArn}',\n    generation: 8,\n`;
  expect(output).toContain(`  adoptedTable: {\n${table}  },\n  eventsGeneration: 8,\n`);
  // A second run changes nothing, even if time to live is still ENABLING, which can last an hour.
  replaceInResponses('"TimeToLiveStatus":"ENABLED"', '"TimeToLiveStatus":"ENABLING"');
  expect(await adopt(TableName, '--yes')).toMatchObject({ code: 0, changes: [] });
});

it.each([
  ['UpdateTimeToLive', /^time to live: undefined, wanted "expiresAt"\n.* items, 1 difference\.$/m],
  // UpdateTable also adds the stream, which the settings would name.
  [
    'UpdateTable',
    / items, 3 differences\.\nThe next step is not printed, because there are differences\. .*\n.*: --accept 3\n$/,
  ],
])('finds what %s did not set', async (operation, difference) => {
  const table = await restore();
  engine.forgets.add(operation);
  const { code, output } = await adopt(table, '--yes');
  engine.forgets.delete(operation);
  expect([code, output]).toEqual([1, expect.stringMatching(difference)]);
});

it.each([
  ['"quantity"', ['indexes']],
  ['"byGroup"|"sk"|"PAY_PER_REQUEST"', ['key', 'indexes', 'billing']],
])('finds other values than %s, which nothing can change', async (texts, settings) => {
  const table = await restore();
  replaceInResponses(new RegExp(texts, 'g'), '"other"');
  const found = (await adopt(table)).output.matchAll(/^Nothing can change this\. (.*?): /gm);
  expect([...found].map(([, name]) => name)).toEqual(settings);
});

it.each(['restored', 'drill'])(
  'prints what comes after the mismatch of a lost item only if it is accepted: %s',
  async kind => {
    engine.loses = ({ sk, complete }) => sk.S === 'ORDER' && complete.BOOL === false;
    const table = await restore('beta', kind);
    engine.loses = () => false;
    const next = /^aws dynamodb delete-table|adoptedTable/m;
    const { code, output } = await adopt(table, '--yes');
    expect(output).toMatch(/^PET#\d+ reservedQuantity: is 1; its open orders have 0 units$/m);
    expect([code, output]).toEqual([1, expect.not.stringMatching(next)]);
    expect(await adopt(table, '--yes', '--accept', '1')).toMatchObject({
      code: 0,
      output: expect.stringMatching(next),
    });
  },
);

it('prints no stream for a stage without events, and finds one that nothing disables', async () => {
  const TableName = await restore('dev');
  const quiet = await adopt(TableName, '--stage', 'dev', '--yes');
  const settings = `arn: '${(await describeTable(TableName)).TableArn}',\n    generation: 8,\n`;
  expect([quiet.code, quiet.output]).toEqual([0, expect.stringContaining(settings)]);
  const StreamSpecification = {
    StreamEnabled: true,
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  } as const;
  await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
  const streaming = (await adopt(TableName, '--stage', 'dev', '--yes')).output;
  expect(streaming).toContain(
    'Nothing can change this. stream: "NEW_AND_OLD_IMAGES", wanted undefined',
  );
});

it('leaves a drill unprotected, and prints the command that deletes it', async () => {
  const TableName = await restore('beta', 'drill');
  const { code, output, changes } = await adopt(TableName, '--yes');
  expect([code, output]).toEqual([0, expect.not.stringMatching(/adoptedTable|generation/i)]);
  expect(output.trimEnd().split('\n').at(-1)).toBe(
    `aws dynamodb delete-table --table-name ${TableName}`,
  );
  expect(changes).toEqual([
    'TagResource',
    'UpdateTable',
    'UpdateTable',
    'UpdateTimeToLive',
    'UpdateContinuousBackups',
  ]);
  const { DeletionProtectionEnabled: isProtected = false, StreamSpecification } =
    await describeTable(TableName);
  expect([isProtected, StreamSpecification?.StreamEnabled]).toEqual([false, true]);
});
