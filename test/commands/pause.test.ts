import { once } from 'node:events';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import timers from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { resourcesOf } from '../../cdk/build/template.ts';
import { withOwnTable } from '../../cdk/config/settings.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { type CloudFormation, type Stack, startCloudFormation } from '../support/cloud-formation.ts';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared } from '../support/petstore.ts';

/** The operations that write, by their methods. */
const writing = allOperations.filter(({ method }) => method !== 'GET').map(({ id }) => id as string);

/** Lambda: the states of the mappings, the reserved concurrency of the functions, and the calls that change them. */
const lambda = {
  mappings: new Map<string, string>(),
  reserved: new Map<string, number>(),
  changes: [] as string[],
  /** All calls since the command started, such as `GET physical-EventsMapping`. */
  calls: [] as string[],
  /** Reads of a mapping until a change of it is complete. */
  delay: 0,
  refused: undefined as string | undefined,
};
const pending = new Map<string, number>();

const mappingOf = (uuid: string) => ({
  ...{ UUID: uuid, State: lambda.mappings.get(uuid), LastProcessingResult: 'OK' },
});

const respond = (method: string, path: string, body: string): object => {
  const [, , resource, id] = path.split('/').map(decodeURIComponent);
  if (method !== 'GET') lambda.changes.push(`${method} ${id} ${body}`.trim());
  if (resource === 'event-source-mappings') {
    const left = (pending.get(id!) ?? 0) - 1;
    if (method === 'GET' && left >= 0) pending.set(id!, left);
    if (method === 'GET' && left === 0) lambda.mappings.set(id!, lambda.mappings.get(id!)!.replace(/ing$/, 'ed'));
    if (method === 'PUT') {
      const changing = JSON.parse(body).Enabled ? 'Enabling' : 'Disabling';
      lambda.mappings.set(id!, lambda.delay > 0 ? changing : changing.replace(/ing$/, 'ed'));
      pending.set(id!, lambda.delay);
    }
    return mappingOf(id!);
  }
  if (method === 'PUT') lambda.reserved.set(id!, JSON.parse(body).ReservedConcurrentExecutions);
  if (method === 'DELETE') lambda.reserved.delete(id!);
  return lambda.reserved.has(id!) ? { ReservedConcurrentExecutions: lambda.reserved.get(id!) } : {};
};

const server = createServer(async (request, response) => {
  const body = await text(request);
  const { pathname } = new URL(request.url!, 'http://lambda');
  lambda.calls.push(`${request.method} ${pathname.split('/')[3]}`);
  // UpdateEventSourceMapping: "The operation conflicts with the resource's availability" (Lambda API reference).
  if (request.method === 'PUT' && /ing$/.test(lambda.mappings.get(pathname.split('/')[3]!) ?? ''))
    return response
      .writeHead(400, { 'x-amzn-errortype': 'ResourceInUseException' })
      .end(JSON.stringify({ Message: 'the mapping is being changed' }));
  if (lambda.refused && request.method !== 'GET' && request.url!.includes(lambda.refused))
    return response
      .writeHead(403, { 'x-amzn-errortype': 'AccessDeniedException' })
      .end(JSON.stringify({ Message: `not allowed to change ${pathname.split('/')[3]}` }));
  return response.end(JSON.stringify(respond(request.method!, request.url!, body)));
});

let cloudFormation: CloudFormation;
const stacks = new Map<string, Stack>();
beforeAll(async () => {
  for (const [stage, events] of [
    ['prod', true],
    ['beta', false],
  ] as const) {
    const { template } = await synthesizeShared({ stage, settings: { ...withOwnTable, events } });
    stacks.set(`petstore-${stage}`, { template, outputs: {} });
    for (const [id] of resourcesOf(template, 'AWS::Lambda::EventSourceMapping'))
      lambda.mappings.set(`physical-${id}`, 'Enabled');
  }
  const one = { url: 'https://example.com/', types: ['petstore.*'], secret: 'petstore-webhook', concurrency: 2 };
  const { template } = await synthesizeShared({ stage: 'prod', settings: { ...withOwnTable, webhooks: { one } } });
  stacks.set('petstore-hooks', { template, outputs: {} });
  cloudFormation = await startCloudFormation(stacks);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  cloudFormation.stop();
  server.close();
});
beforeEach(() => {
  Object.assign(lambda, { changes: [], refused: undefined, delay: 0 });
  lambda.reserved.clear();
  for (const uuid of lambda.mappings.keys()) lambda.mappings.set(uuid, 'Enabled');
});

const pause = async (...args: string[]) => {
  Object.assign(lambda, { changes: [], calls: [] });
  const { code, output } = await runInProcess('cdk/commands/pause/index.ts', args, {
    ...cloudFormation.environment,
    AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  return { code, output, changes: [...lambda.changes] };
};
const states = () => [...lambda.mappings.values()];
/** The operations whose functions have a reserved concurrency of 0. */
const stopped = () => [...lambda.reserved].map(([name]) => /^physical-(\w+?)Function/.exec(name)![1]!).sort();

describe('npm run pause', () => {
  it('prints the state and changes nothing without an option', async () => {
    const { code, output, changes } = await pause('--stage', 'prod');
    expect([code, changes]).toEqual([0, []]);
    expect(output).toBe(`Events:
  EventsMapping: Enabled, last result: OK
Writes: running (${writing.length} functions)
Nothing was changed. To change it: --events, --writes, --resume.
`);
  });

  it('disables the event source mappings, and waits until Lambda has disabled them', async () => {
    lambda.delay = 1;
    const { code, output } = await pause('--stage', 'prod', '--events');
    expect([code, states(), lambda.reserved.size]).toEqual([0, ['Disabled'], 0]);
    expect(output).toBe(`Events:
  EventsMapping: Disabled, last result: OK
Writes: running (${writing.length} functions)
To undo it: npm run pause -- --stage prod --resume
`);
  });

  it('sets the reserved concurrency of exactly the functions that write to 0', async () => {
    const { code, output } = await pause('--stage', 'prod', '--writes');
    expect([code, states()]).toEqual([0, ['Enabled']]);
    expect(stopped()).toEqual([...writing].sort());
    expect([...lambda.reserved.values()]).toEqual(writing.map(() => 0));
    expect(output).toBe(`Events:
  EventsMapping: Enabled, last result: OK
Writes: paused (${writing.length} of ${writing.length} functions)
To undo it: npm run pause -- --stage prod --resume
`);
  });

  it('changes nothing when it runs again', async () => {
    await pause('--stage', 'prod', '--events', '--writes');
    const { code, changes } = await pause('--stage', 'prod', '--events', '--writes');
    expect([code, changes]).toEqual([0, []]);
  });

  it('--resume undoes both, and changes nothing when it runs again', async () => {
    await pause('--stage', 'prod', '--events', '--writes');
    const { code, changes, output } = await pause('--stage', 'prod', '--resume');
    expect(output).toBe(
      `Events:\n  EventsMapping: Enabled, last result: OK\nWrites: running (${writing.length} functions)\n`,
    );
    expect([code, changes.length, states(), lambda.reserved.size]).toEqual([0, writing.length + 1, ['Enabled'], 0]);
    expect((await pause('--stage', 'prod', '--resume')).changes).toEqual([]);
  });

  it('--resume --writes does not resume the events', async () => {
    await pause('--stage', 'prod', '--events', '--writes');
    await pause('--stage', 'prod', '--resume', '--writes');
    expect([states(), lambda.reserved.size]).toEqual([['Disabled'], 0]);
  });

  it('waits for a mapping in state Updating', async () => {
    const [uuid] = lambda.mappings.keys();
    lambda.mappings.set(uuid!, 'Enabling');
    pending.set(uuid!, 2);
    expect((await pause('--stage', 'prod', '--events')).code).toBe(0);
    expect(states()).toEqual(['Disabled']);
  });

  it('fails when a mapping stays in state Updating for two minutes', async () => {
    const { setTimeout: sleep } = timers;
    const pauses: number[] = [];
    const counted = async (milliseconds: number) => {
      pauses.push(milliseconds);
      if (pauses.length > 60) throw new Error('It waits for ever.');
    };
    Object.assign(timers, { setTimeout: counted });
    syncBuiltinESMExports();
    onTestFinished(() => {
      Object.assign(timers, { setTimeout: sleep });
      syncBuiltinESMExports();
    });
    const [uuid] = lambda.mappings.keys();
    lambda.mappings.set(uuid!, 'Updating');
    const { code, output } = await pause('--stage', 'prod', '--events');
    expect([code, output]).toEqual([1, expect.stringContaining('EventsMapping is still Updating.')]);
    expect(pauses).toEqual(Array(60).fill(2_000));
  });

  it('prints the functions that still run when Lambda rejects a change', async () => {
    lambda.refused = 'placeOrderFunction';
    const { code, output } = await pause('--stage', 'prod', '--writes');
    expect([code, output]).toEqual([1, expect.stringContaining('Some changes failed.')]);
    const { output: after } = await pause('--stage', 'prod');
    const state = `Events:
  EventsMapping: Enabled, last result: OK
Writes: PARTLY PAUSED (${writing.length - 1} of ${writing.length} functions)
  placeOrder: running
`;
    expect(after).toBe(`${state}Nothing was changed. To change it: --events, --writes, --resume.\n`);
    expect(output).toContain(
      `Some changes failed. To try them again, run the same command.\n${state}not allowed to change physical-placeOrderFunction`,
    );
  });

  it('does not change a reserved concurrency that an operator set, unless it pauses the function', async () => {
    await pause('--stage', 'prod', '--writes');
    const [name] = lambda.reserved.keys();
    lambda.reserved.set(name!, 5);
    const { output } = await pause('--stage', 'prod', '--resume');
    expect([...lambda.reserved]).toEqual([[name, 5]]);
    const operation = /^physical-(\w+?)Function/.exec(name!)![1]!;
    expect(output).toMatch(
      new RegExp(`^  ${operation}\\w*: reserved concurrency 5, which this stack does not set$`, 'm'),
    );
    expect(output.match(/reserved concurrency/g)).toHaveLength(1);
  });

  it('pauses the writes of a stage without events', async () => {
    const { code, output } = await pause('--stage', 'beta', '--events', '--writes');
    expect([code, output]).toEqual([0, expect.stringContaining('Events: the stage publishes none.')]);
    expect(stopped()).toEqual([...writing].sort());
  });

  describe('of a stage with webhooks', () => {
    const mappingsOf = () =>
      resourcesOf(stacks.get('petstore-hooks')!.template, 'AWS::Lambda::EventSourceMapping').map(
        ([id]) => `physical-${id}`,
      );
    beforeEach(() => {
      for (const uuid of mappingsOf()) lambda.mappings.set(uuid, 'Enabled');
    });
    afterEach(() => {
      for (const uuid of mappingsOf()) if (!uuid.includes('EventsMapping')) lambda.mappings.delete(uuid);
    });

    it('disables the event source mappings of webhooks as well', async () => {
      const uuids = mappingsOf();
      const { code, output } = await pause('--stage', 'hooks', '--events');
      expect([code, uuids.length > 1]).toEqual([0, true]);
      expect(uuids.map(uuid => lambda.mappings.get(uuid))).toEqual(uuids.map(() => 'Disabled'));
      expect(output).toMatch(/^ {2}Webhooks\w*: Disabled/m);
    });

    it('sends every change before it waits for a mapping', async () => {
      lambda.delay = 1;
      const { code } = await pause('--stage', 'hooks', '--events', '--writes');
      expect([code, states()]).toEqual([0, mappingsOf().map(() => 'Disabled')]);
      const methods = lambda.calls.map(call => call.split(' ')[0]);
      const firstChange = methods.indexOf('PUT');
      const firstWait = methods.indexOf('GET', firstChange);
      expect(methods.slice(firstChange, firstWait)).toHaveLength(mappingsOf().length + writing.length);
      expect(methods.lastIndexOf('PUT')).toBeLessThan(firstWait);
    });

    it('pauses the writes and the other mapping when Lambda rejects the change of a mapping', async () => {
      const [refused = '', ...others] = mappingsOf();
      lambda.refused = refused;
      const { code, output } = await pause('--stage', 'hooks', '--events', '--writes');
      expect([code, output]).toEqual([1, expect.stringContaining('not allowed')]);
      expect(output).toContain('Writes: paused');
      expect(stopped()).toEqual([...writing].sort());
      expect([refused, ...others].map(uuid => lambda.mappings.get(uuid))).toEqual([
        'Enabled',
        ...others.map(() => 'Disabled'),
      ]);
    });

    it('prints each reason when Lambda rejects changes of mappings and of functions', async () => {
      lambda.refused = 'physical-';
      const { code, output } = await pause('--stage', 'hooks', '--events', '--writes');
      expect([code, output.match(/not allowed to change \S+/g)?.length]).toEqual([
        1,
        mappingsOf().length + writing.length,
      ]);
    });
  });

  it('requires a stage', async () => {
    const { code, output, changes } = await pause('--events');
    expect([code, output, changes]).toEqual([1, expect.stringContaining('Which stage? --stage NAME'), []]);
  });

  it('changes nothing of a stack that lacks the function of an operation that writes', async () => {
    const { template } = stacks.get('petstore-prod')!;
    const Resources = Object.fromEntries(
      Object.entries(template.Resources!).filter(([id]) => !id.startsWith('cancelOrderFunction')),
    );
    stacks.set('petstore-former', { template: { ...template, Resources }, outputs: {} });
    const { code, output, changes } = await pause('--stage', 'former', '--events', '--writes');
    const message = 'petstore-former has no function for cancelOrder. Use the checkout of the deployed version.';
    expect([code, output, changes]).toEqual([1, expect.stringContaining(message), []]);
  });

  it('reports a stack that does not exist', async () => {
    const { code, output } = await pause('--stage', 'dev', '--events');
    expect([code, output]).toEqual([1, expect.stringContaining('petstore-dev does not exist')]);
  });
});
