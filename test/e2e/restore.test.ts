import { RestoreTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Settings } from '../../cdk/config/settings.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { listenTo, waitForEvents } from '../events/listener.ts';
import { failEntries } from '../support/aws-proxy.ts';
import { outputsOf, type Stack, startFakeAws } from '../support/fake-aws.ts';
import { createPet } from '../support/fixtures.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';
import { outputsAt } from '../support/queue.ts';
import { startRestoreEmulator } from '../support/restore-emulator.ts';

// "Much data was deleted or is wrong" in cdk/RUNBOOK.md. Each command runs in its own process.

// Before there are connections: synthesis blocks this process for so long that a server closes idle ones.
await synthesizeShared({ stage: 'beta', settings: {} });
const petstore = usePetstore({ publishesEvents: true });
const stacks = new Map<string, Stack>();
const engine = await startRestoreEmulator(inject('endpoint'));
const aws = await startFakeAws(stacks);
let local: Record<string, string>;

/** After `npx cdk deploy -c stage=beta`, CloudFormation has the new template and outputs. */
const deploy = async (settings: Partial<Settings>, outputs: Record<string, string> = {}) => {
  const { template } = await synthesizeShared({ stage: 'beta', settings });
  const { EventBusName = '', EventsDeadLetterQueueUrl = '' } = local;
  const api = { StaffClientId: 'staff', ApiUrl: `${petstore.url}/`, TokenUrl: petstore.tokenUrl };
  const deployed = { EventBusName, EventsDeadLetterQueueUrl, ...api, ...outputs };
  stacks.set('petstore-beta', { template, outputs: outputsOf(template, deployed) });
};

beforeAll(async () => {
  local = await outputsAt(petstore.url);
  await deploy({}, { TableName: petstore.tableName });
});
afterAll(() => [engine, aws].forEach(({ stop }) => void stop()));

/** The command must succeed. @param printed a part of its output @returns all of it */
const command = async (printed: string, name: string, ...args: string[]): Promise<string> => {
  const endpoints = {
    AWS_ENDPOINT_URL_DYNAMODB: engine.url,
    AWS_ENDPOINT_URL_EVENTBRIDGE: local.EventsEndpoint!,
  };
  const env = { ...aws.environment, ...endpoints };
  const started = run(`cdk/commands/${name}.ts`, ['--stage', 'beta', ...args], { env });
  expect([await started.exit, started.output()]).toEqual([0, expect.stringContaining(printed)]);
  return started.output();
};

/** As `npm run adopt` prints them. */
const settingsIn = (output: string): Partial<Settings> => {
  const settings = /^ {2}adoptedTable: {$[^}]*},\n {2}eventsGeneration: \d+,$/m.exec(output)!;
  return new Function(`return {${settings[0]}}`)();
};

describe('the steps of "Much data was deleted or is wrong"', () => {
  it('restore, adopt, redrive, deploy, republish and audit a stage, with the outputs of its stack', async () => {
    const { staff } = petstore;
    const listener = await listenTo(petstore.url);
    const rejecting = failEntries(({ Detail }) =>
      /pet\.created/.test(Detail) ? 'MalformedDetail' : undefined,
    );
    petstore.aws.faultFor = ({ operation }) => (operation === 'PutEvents' ? rejecting : undefined);
    const pet = await createPet(staff);
    await waitForEvents(listener, all =>
      all.some(({ subject }) => subject.startsWith('store/inventory/')),
    );
    petstore.aws.faultFor = () => undefined;

    // Step 3: restore to a new table, as the AWS CLI does in the runbook, and adopt it.
    const TargetTableName = `petstore-beta-restored-${petstore.tableName}`;
    const client = connect(engine.url);
    await client.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: petstore.tableName,
        TargetTableName,
      }),
    );
    client.destroy();
    const adopted = await command(
      ' items, 0 differences.',
      'adopt',
      '--table',
      TargetTableName,
      '--yes',
    );

    // Step 4: put the settings into cdk/stages.ts. Redrive the former table's dead-letter queue before the deployment.
    const settings = settingsIn(adopted);
    expect(settings.eventsGeneration).toBe(2);
    await command('1 message: 1 done, 0 left.', 'events/redrive', '--yes');
    const created = () => listener.events.filter(({ type }) => type === 'petstore.pet.created');
    await expect
      .poll(created)
      .toMatchObject([{ data: pet, sequence: expect.stringMatching(/^0001/) }]);

    // Step 5: deploy.
    await deploy(settings);
    const deployed = stacks.get('petstore-beta')!.outputs;
    expect(deployed.TableName).toBe(settings.adoptedTable!.arn.split('/').at(-1));

    // Step 6: audit.
    await command(`Reading ${deployed.TableName} (`, 'audit/index', '--rate', '1000');

    // Step 7: republish. The new events have a higher generation, so receivers ignore those of the former table.
    const before = listener.events.length;
    const republished = await command(
      deployed.TableName!,
      'events/republish',
      '--rate',
      '1000',
      '--yes',
    );
    const published = Number(/(\d+) events published, 0 failed\./.exec(republished)![1]);
    expect(published).toBeGreaterThan(2);
    await expect.poll(() => listener.events.length).toBeGreaterThanOrEqual(before + published);
    for (const { sequence } of listener.events.slice(before)) expect(sequence).toMatch(/^0002/);
    listener.stop();
  });
});
