import { afterAll, beforeEach, expect, it } from 'vitest';
import type { Template } from '../../cdk/synthesis/template.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { startFakeAws } from '../support/fake-aws.ts';
import { startFakeLambda } from '../support/fake-lambda.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { runCommand } from '../support/run-command.ts';
import { one } from '../webhooks/settings.ts';

const writing = allOperations
  .filter(({ method }) => method !== 'GET')
  .map(({ id }) => id as string);
const writes = writing.toSorted();
const { template } = await synthesizeShared({ stage: 'prod', settings: { webhooks: { one } } });
const functions = Object.entries(template.Resources).filter(
  ([, { Type }]) => Type === 'AWS::Lambda::Function',
);
const withoutEvents: Template = { Resources: Object.fromEntries(functions) };

const lambda = startFakeLambda(template);
const { mappings, states, reads, reserved, tags } = lambda;
const stacks = { 'petstore-prod': template, 'petstore-quiet': withoutEvents };
const stackOf = ([name, template]: [string, Template]) =>
  [name, { template, outputs: {} }] as const;
const aws = await startFakeAws(
  new Map(Object.entries<Template>(stacks).map(stackOf)),
  lambda.operations,
);
afterAll(aws.stop);
beforeEach(() => {
  aws.denied = /^$/;
  aws.caller = 'alice';
  lambda.reset();
});

const pause = async (stage: string, ...args: string[]) => {
  aws.calls.length = 0;
  const { code, output } = await runCommand(
    'cdk/commands/pause.ts',
    ['--stage', stage, ...args],
    aws.environment,
    () => Date.UTC(2026, 10, 21, 14, 5),
  );
  return {
    code,
    output,
    changes: aws.calls.filter(([operation]) => /^(PUT|DELETE) (?!tags)/.test(operation)).length,
  };
};
const paused = () => ({ events: lambda.pausedMappings(), writes: lambda.pausedWrites() });

it('prints the state and changes nothing without an option', async () => {
  const { code, output, changes } = await pause('prod');
  expect([code, changes, mappings.length]).toEqual([0, 0, 2]);
  expect(output).toMatch(/^EventsMapping: Enabled, last result: OK$/m);
  expect(output).toMatch(/^Webhooks\w*: Enabled, last result: OK$/m);
  expect(output).toContain(`Writes: running (${writing.join(', ')})\nNothing was changed.`);
});

it.each(['events', 'writes'] as const)(
  '--%s pauses exactly these, and --resume of it no other',
  async part => {
    const { code, output } = await pause('prod', `--${part}`);
    const all = { events: mappings, writes };
    expect([code, paused()]).toEqual([0, { events: [], writes: [], [part]: all[part] }]);
    const alice = 'by alice at 2026-11-21T14:05:00Z';
    const what =
      part === 'writes'
        ? `Writes: paused ${alice}; running: none`
        : `EventsMapping: Disabled ${alice}, last`;
    expect(output).toMatch(new RegExp(`^${what}`, 'm'));
    expect(output).toContain('To undo it: npm run pause -- --stage prod --resume');

    await pause('prod', '--events', '--writes');
    expect(paused()).toEqual(all);
    await pause('prod', '--resume', `--${part}`);
    expect(paused()).toEqual({ ...all, [part]: [] });
  },
);

it('changes nothing when it runs again, and --resume undoes both, but no concurrency of an operator', async () => {
  await pause('prod', '--events', '--writes');
  // As after a run that was interrupted.
  for (const uuid of mappings) states.set(uuid, 'Disabling') && reads.set(uuid, 2);
  expect(await pause('prod', '--events', '--writes')).toMatchObject({ code: 0, changes: 0 });
  const name = [...reserved.keys()].find(key => key.includes('placeOrder'))!;
  reserved.set(name, 5);
  const { changes, output } = await pause('prod', '--resume');
  expect(changes).toBe(mappings.length + writing.length - 1);
  expect([paused(), ...reserved]).toEqual([{ events: [], writes: [] }, [name, 5]]);
  expect(output).toContain('placeOrder (reserved concurrency 5)');
  expect(output).not.toContain('To undo it');
  expect(await pause('prod', '--writes')).toMatchObject({ changes: writing.length });
});

it('makes the other changes, and prints each reason, when Lambda refuses some', async () => {
  aws.denied = new RegExp(`^PUT .*(placeOrderFunction|${mappings[0]})`);
  const { code, output } = await pause('prod', '--events', '--writes');
  expect([code, paused()]).toEqual([
    1,
    { events: [mappings[1]], writes: writes.filter(id => id !== 'placeOrder') },
  ]);
  expect(output).toContain(
    `EventsMapping: not allowed to change ${mappings[0]} (UpdateEventSourceMapping at `,
  );
  expect(output).toMatch(
    /^placeOrder: not allowed to change physical-placeOrderFunction\w+ \(PutFunctionConcurrency at /m,
  );
  expect(output).toContain('; running: placeOrder\n2 changes failed. To try them again, run');
  aws.denied = /^$/;
  expect(await pause('prod', '--events', '--writes')).toMatchObject({ code: 0, changes: 2 });
  aws.denied = /^DELETE functions .*placeOrderFunction/;
  expect((await pause('prod', '--resume')).output).toContain('Writes: PARTLY PAUSED by alice at ');
});

it('leaves alone what somebody else paused, and says who, but resumes it with --others, and what has no name', async () => {
  aws.caller = 'alice2';
  await pause('prod', '--events', '--writes');
  aws.caller = 'alice';
  const before = paused();
  const refused = await pause('prod', '--resume');
  expect([refused.code, refused.changes, paused()]).toEqual([1, 0, before]);
  expect(refused.output).toMatch(
    /^Left alone: paused by alice2 at \S+Z.*\. Ask there first\. .*: --others$/m,
  );
  // To run it again does not make it a pause of alice.
  await pause('prod', '--writes');
  expect((await pause('prod')).output).toMatch(/^Writes: paused by alice2 at /m);
  expect(await pause('prod', '--resume', '--others')).toMatchObject({ code: 0 });
  expect([paused(), tags.size]).toEqual([{ events: [], writes: [] }, 0]);
  aws.caller = 'bob,ops';
  // A tag cannot have the comma.
  await pause('prod', '--writes');
  expect((await pause('prod', '--resume', '--writes')).code).toBe(0);
  expect(aws.calls.some(([, input]) => JSON.stringify(input).includes('bob,ops'))).toBe(false);
  // As with the console.
  states.set(mappings[0]!, 'Disabled');
  expect((await pause('prod')).output).toContain('Mapping: Disabled by somebody, last result');
  expect(await pause('prod', '--resume')).toMatchObject({ code: 0 });
});

it.each(['GetCallerIdentity', 'tags'])(
  'pauses, prints and resumes all, although %s is refused, and leaves alone what others may have paused',
  async operation => {
    await pause('prod', '--writes');
    aws.denied = new RegExp(operation);
    const { code, output } = await pause('prod', '--events', '--writes');
    expect([code, paused()]).toEqual([0, { events: mappings, writes }]);
    expect(output).toContain('EventsMapping: Disabled by somebody, last result: OK\n');
    expect(output).toContain('Not everybody is known who paused: not allowed ');
    expect(await pause('prod', '--resume', '--writes')).toMatchObject({ code: 1, changes: 0 });
    expect(await pause('prod', '--resume', '--others')).toMatchObject({ code: 0 });
    expect(paused()).toEqual({ events: [], writes: [] });
  },
);

it('pauses the writes of a stage without events', async () => {
  const output =
    /^Stage quiet in eu-west-1\nAccount \d+\nEvents: the stage publishes none\.\n(.*\n)*.* --stage quiet --region eu-west-1 --resume\n$/;
  const ended = await pause('quiet', '--events', '--writes', '--region', 'eu-west-1');
  expect(ended).toMatchObject({ code: 0, output: expect.stringMatching(output) });
  expect(paused().writes).toEqual(writes);
});
