import { RestoreTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Settings } from '../../cdk/config/settings.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { listenTo, waitForEvents } from '../events/listener.ts';
import { type FakeAws, outputsOf, type Stack, startFakeAws } from '../support/fake-aws.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';
import { type RestoreEmulator, startRestoreEmulator } from '../support/restore-emulator.ts';

// The steps of "Much data was deleted or is wrong" in cdk/RUNBOOK.md, in their order, with the processes that an operator starts.

// Before there is a connection: synthesis blocks the process for longer than a server keeps one.
await synthesizeShared({ stage: 'beta', settings: {} });
const petstore = usePetstore({ publishesEvents: true });
const stacks = new Map<string, Stack>();
let engine: RestoreEmulator;
let aws: FakeAws;
let local: Record<string, string>;

/** What `npx cdk deploy -c stage=beta` leaves in CloudFormation. */
const deploy = async (settings: Partial<Settings>, outputs: Record<string, string> = {}) => {
  const { template } = await synthesizeShared({ stage: 'beta', settings });
  const { EventBusName = '', EventsDeadLetterQueueUrl = '' } = local;
  const api = { StaffClientId: 'staff', ApiUrl: `${petstore.url}/`, TokenUrl: petstore.tokenUrl };
  const deployed = { EventBusName, EventsDeadLetterQueueUrl, ...api, ...outputs };
  stacks.set('petstore-beta', { template, outputs: outputsOf(template, deployed) });
};

beforeAll(async () => {
  engine = await startRestoreEmulator(inject('endpoint'));
  aws = await startFakeAws(stacks);
  local = (await (await fetch(`${petstore.url}/local`)).json()) as Record<string, string>;
  await deploy({}, { TableName: petstore.tableName });
});
afterAll(async () => {
  await engine.stop();
  aws.stop();
});

/** Runs a command, which must succeed. @param printed a part of its output @returns all of it */
const command = async (printed: string, name: string, ...args: string[]): Promise<string> => {
  const endpoints = { AWS_ENDPOINT_URL_DYNAMODB: engine.url, AWS_ENDPOINT_URL_EVENTBRIDGE: local.EventsEndpoint! };
  const env = { ...aws.environment, ...endpoints };
  const started = run(`cdk/commands/${name}.ts`, ['--stage', 'beta', ...args], { env });
  expect([await started.exit, started.output()]).toEqual([0, expect.stringContaining(printed)]);
  return started.output();
};

/** The settings that `npm run adopt` prints. */
const settingsIn = (output: string): Partial<Settings> => {
  const settings = /^ {2}adoptedTable: {$[^}]*},\n {2}eventsGeneration: \d+,$/m.exec(output)!;
  return new Function(`return {${settings[0]}}`)();
};

describe('the steps of "Much data was deleted or is wrong"', () => {
  it('restore, adopt, redrive, deploy, republish and audit a stage, with the outputs of its stack', async () => {
    const { staff } = petstore;
    const listener = await listenTo(petstore.url);
    petstore.aws.faultFor = ({ operation }) =>
      operation === 'PutEvents'
        ? { failEntries: ({ Detail }) => (/pet\.created/.test(Detail) ? 'MalformedDetail' : undefined) }
        : undefined;
    const pet = await createPet(staff, (await createCategory(staff)).id);
    await waitForEvents(listener, all => all.some(({ subject }) => subject.startsWith('store/inventory/')));
    petstore.aws.faultFor = () => undefined;

    // 3. Restore the table as a new one, as the line of the AWS CLI does, and make it usable.
    const TargetTableName = `petstore-beta-restored-${petstore.tableName}`;
    const client = connect(engine.url);
    await client.send(new RestoreTableToPointInTimeCommand({ SourceTableName: petstore.tableName, TargetTableName }));
    client.destroy();
    const adopted = await command(' items, 0 differences.', 'adopt', '--table', TargetTableName, '--yes');

    // 4. Put the settings into cdk/stages.ts, and redrive the records of the former table before you deploy.
    const settings = settingsIn(adopted);
    expect(settings.eventsGeneration).toBe(2);
    await command('1 messages: 1 done, 0 left.', 'events/redrive', '--yes');
    const created = () => listener.events.filter(({ type }) => type === 'petstore.pet.created');
    await expect.poll(() => created().length).toBe(1);
    expect(created()[0]!.data).toEqual(pet);
    expect(created()[0]!.sequence).toMatch(/^0001/);

    // 5. Deploy.
    await deploy(settings);
    const deployed = stacks.get('petstore-beta')!.outputs;
    expect(deployed.TableName).toBe(settings.adoptedTable!.arn.split('/').at(-1));

    // 7. Republish: receivers drop everything of the former table as older.
    const before = listener.events.length;
    const republished = await command(deployed.TableName!, 'events/republish', '--rate', '1000', '--yes');
    const published = Number(/(\d+) events published, 0 failed\./.exec(republished)![1]);
    expect(published).toBeGreaterThan(2);
    await expect.poll(() => listener.events.length).toBeGreaterThanOrEqual(before + published);
    for (const { sequence } of listener.events.slice(before)) expect(sequence).toMatch(/^0002/);

    // 6. Audit.
    await command(`${deployed.TableName} had`, 'audit/index', '--rate', '1000');
    listener.stop();
  }, 120_000);
});
