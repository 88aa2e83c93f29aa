import { afterAll, beforeEach, expect, it } from 'vitest';
import { resourcesOf, type Template } from '../../cdk/synthesis/template.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { errorBody } from '../support/aws-json.ts';
import { startFakeAws } from '../support/fake-aws.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { runCommand } from '../support/run-command.ts';
import { one } from '../webhooks/settings.ts';

const writing = allOperations
  .filter(({ method }) => method !== 'GET')
  .map(({ id }) => id as string);
const writes = writing.toSorted();
const { template } = await synthesizeShared({ stage: 'prod', settings: { webhooks: { one } } });
const mappings = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(
  ([id]) => `physical-${id}`,
);
const functions = Object.entries(template.Resources).filter(
  ([, { Type }]) => Type === 'AWS::Lambda::Function',
);
const withoutEvents: Template = { Resources: Object.fromEntries(functions) };

/** In the emulated Lambda: the states of mappings, for how many reads they change, and the reserved concurrency of functions. */
const [states, reads, reserved] = [
  new Map<string, string>(),
  new Map<string, number>(),
  new Map<string, number>(),
];
/** By ARN. */
const tags = new Map<string, Record<string, string>>();
const stacks = { 'petstore-prod': template, 'petstore-quiet': withoutEvents };
const stackOf = ([name, template]: [string, Template]) =>
  [name, { template, outputs: {} }] as const;
const aws = await startFakeAws(new Map(Object.entries<Template>(stacks).map(stackOf)), {
  // A change takes effect after some time, and meanwhile Lambda refuses another one (API reference, UpdateEventSourceMapping).
  'GET event-source-mappings': (_, id) => {
    const State = states.get(id);
    const left = (reads.get(id) ?? 0) - 1;
    reads.set(id, left);
    if (left <= 0) states.set(id, State!.replace(/ing$/, 'ed'));
    const FunctionArn = `arn:aws:lambda:eu-west-1:123456789012:function:petstore-${id}`;
    return { State, LastProcessingResult: 'OK', FunctionArn };
  },
  'PUT event-source-mappings': ({ Enabled }, id) => {
    if (states.get(id)!.endsWith('ing'))
      return errorBody('ResourceInUseException', `${id} is changing`);
    reads.set(id, 2);
    return states.set(id, Enabled ? 'Enabling' : 'Disabling');
  },
  'GET functions': (_, id) => ({ ReservedConcurrentExecutions: reserved.get(id) }),
  'PUT functions': ({ ReservedConcurrentExecutions: units }, id) => reserved.set(id, units),
  'DELETE functions': (_, id) => ({ isDeleted: reserved.delete(id) }),
  'GET tags': (_, arn) => ({ Tags: tags.get(arn) ?? {} }),
  'POST tags': ({ Tags }, arn) => tags.set(arn, Tags),
  'DELETE tags': (_, arn) => ({ isDeleted: tags.delete(arn.split('?')[0]!) }),
});
afterAll(aws.stop);
beforeEach(() => {
  aws.denied = /^$/;
  aws.caller = 'alice';
  reserved.clear();
  tags.clear();
  for (const uuid of mappings) states.set(uuid, 'Enabled');
});

const pause = async (stage: string, ...args: string[]) => {
  aws.calls.length = 0;
  const { code, output } = await runCommand(
    'cdk/commands/pause.ts',
    ['--stage', stage, ...args],
    aws.environment,
  );
  return {
    code,
    output,
    changes: aws.calls.filter(([operation]) => /^(PUT|DELETE) (?!tags)/.test(operation)).length,
  };
};
/** Mappings that are Disabled or Disabling, and operations whose functions have no concurrency. */
const paused = () => ({
  events: mappings.filter(uuid => states.get(uuid)!.startsWith('Disabl')),
  writes: [...reserved]
    .flatMap(([name, units]) => (units ? [] : /^physical-(\w+?)Function/.exec(name)![1]!))
    .sort(),
});

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
    const alice = String.raw`by alice at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
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
  aws.denied = new RegExp(`placeOrderFunction|${mappings[0]}`);
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
});

it('leaves alone what somebody else paused, and says who, but resumes it with --others, and what has no name', async () => {
  await pause('prod', '--events', '--writes');
  aws.caller = 'bob,ops';
  const before = paused();
  const refused = await pause('prod', '--resume');
  expect([refused.code, refused.changes, paused()]).toEqual([1, 0, before]);
  expect(refused.output).toMatch(
    /^Left alone: paused by alice at \S+Z.*\. Ask there first\. .*: --others$/m,
  );
  // To run it again does not make it a pause of bob.
  await pause('prod', '--writes');
  expect((await pause('prod')).output).toMatch(/^Writes: paused by alice at /m);
  expect(await pause('prod', '--resume', '--others')).toMatchObject({ code: 0 });
  expect([paused(), tags.size]).toEqual([{ events: [], writes: [] }, 0]);
  // A tag cannot have the comma.
  await pause('prod', '--writes');
  expect((await pause('prod', '--resume', '--writes')).code).toBe(0);
  expect(aws.calls.some(([, input]) => JSON.stringify(input).includes('bob,ops'))).toBe(false);
  // As with the console.
  states.set(mappings[0]!, 'Disabled');
  expect((await pause('prod')).output).toContain(
    'Mapping: Disabled by somebody without this command, last result',
  );
  expect(await pause('prod', '--resume')).toMatchObject({ code: 0 });
});

it('pauses the writes of a stage without events', async () => {
  const output =
    /^Stage quiet in eu-west-1\nEvents: the stage publishes none\.\n(.*\n)*.* --stage quiet --region eu-west-1 --resume\n$/;
  const ended = await pause('quiet', '--events', '--writes', '--region', 'eu-west-1');
  expect(ended).toMatchObject({ code: 0, output: expect.stringMatching(output) });
  expect(paused().writes).toEqual(writes);
});
