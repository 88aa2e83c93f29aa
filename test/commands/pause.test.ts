import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { resourcesOf } from '../../cdk/build/template.ts';
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
  /** It refuses to change what has this in its id. */
  refused: /^$/,
};

const respond = (method: string, resource: string, id: string, body: string): object => {
  if (method !== 'GET') lambda.changes.push(`${method} ${id}`);
  if (resource === 'event-source-mappings') {
    if (method === 'PUT') lambda.mappings.set(id, JSON.parse(body).Enabled ? 'Enabling' : 'Disabling');
    return { UUID: id, State: lambda.mappings.get(id), LastProcessingResult: 'OK' };
  }
  if (method === 'PUT') lambda.reserved.set(id, JSON.parse(body).ReservedConcurrentExecutions);
  if (method === 'DELETE') lambda.reserved.delete(id);
  return lambda.reserved.has(id) ? { ReservedConcurrentExecutions: lambda.reserved.get(id) } : {};
};
const server = createServer(async (request, response) => {
  const [, , resource = '', id = ''] = request.url!.split('/').map(decodeURIComponent);
  if (request.method === 'GET' || !lambda.refused.test(id))
    return response.end(JSON.stringify(respond(request.method!, resource, id, await text(request))));
  response.writeHead(403, { 'x-amzn-errortype': 'AccessDeniedException' });
  return response.end(JSON.stringify({ Message: `not allowed to change ${id}` }));
});

let cloudFormation: CloudFormation;
let mappings: string[];
beforeAll(async () => {
  const one = { url: 'https://example.com/', types: ['petstore.*'], secret: 'petstore-webhook', concurrency: 2 };
  const stackWith = async (settings: object): Promise<Stack> => {
    const { template } = await synthesizeShared({ stage: 'prod', settings });
    return { template, outputs: {} };
  };
  const prod = await stackWith({ webhooks: { one } });
  mappings = resourcesOf(prod.template, 'AWS::Lambda::EventSourceMapping').map(([id]) => `physical-${id}`);
  const { Resources = {}, ...rest } = prod.template;
  const former = Object.fromEntries(Object.entries(Resources).filter(([id]) => !id.startsWith('cancelOrderFunction')));
  const stacks = {
    prod,
    quiet: await stackWith({ events: false }),
    former: { template: { ...rest, Resources: former } },
  };
  cloudFormation = await startCloudFormation(
    new Map(Object.entries(stacks).map(([stage, stack]) => [`petstore-${stage}`, { outputs: {}, ...stack }])),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  cloudFormation.stop();
  server.close();
});
beforeEach(() => {
  lambda.refused = /^$/;
  lambda.reserved.clear();
  for (const uuid of mappings) lambda.mappings.set(uuid, 'Enabled');
});

const pause = async (...args: string[]) => {
  lambda.changes = [];
  const { code, output } = await runInProcess('cdk/commands/pause.ts', args, {
    ...cloudFormation.environment,
    AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  return { code, output, changes: lambda.changes };
};
/** What is paused: the mappings that are disabled or will be, and the operations whose functions cannot run. */
const paused = () => ({
  events: [...lambda.mappings].filter(([, state]) => state.startsWith('Disabl')).map(([uuid]) => uuid),
  writes: [...lambda.reserved]
    .flatMap(([name, units]) => (units === 0 ? /^physical-(\w+?)Function/.exec(name)![1]! : []))
    .sort(),
});
const stopped = { events: () => mappings, writes: () => [...writing].sort() };

it('prints the state and changes nothing without an option', async () => {
  const { code, output, changes } = await pause('--stage', 'prod');
  expect([code, changes, mappings.length]).toEqual([0, [], 2]);
  expect(output).toMatch(/^EventsMapping: Enabled, last result: OK$/m);
  expect(output).toMatch(/^Webhooks\w*: Enabled, last result: OK$/m);
  expect(output).toContain(`Writes: running; running: ${writing.join(', ')}\nNothing was changed.`);
});

it.each([
  ['--events', { events: true, writes: false }],
  ['--writes', { events: false, writes: true }],
] as const)('%s pauses exactly these, and --resume of it no other', async (option, { events, writes }) => {
  const expected = { events: events ? stopped.events() : [], writes: writes ? stopped.writes() : [] };
  const { code, output } = await pause('--stage', 'prod', option);
  expect([code, paused()]).toEqual([0, expected]);
  expect(output).toContain(writes ? 'Writes: paused; running: none\n' : 'EventsMapping: Disabling');
  expect(output).toContain('To undo it: npm run pause -- --stage prod --resume');

  await pause('--stage', 'prod', '--events', '--writes');
  expect(paused()).toEqual({ events: stopped.events(), writes: stopped.writes() });
  await pause('--stage', 'prod', '--resume', option);
  expect(paused()).toEqual({ events: events ? [] : stopped.events(), writes: writes ? [] : stopped.writes() });
});

it('changes nothing when it runs again, and --resume undoes both', async () => {
  await pause('--stage', 'prod', '--events', '--writes');
  for (const uuid of mappings) lambda.mappings.set(uuid, 'Disabled');
  expect(await pause('--stage', 'prod', '--events', '--writes')).toMatchObject({ code: 0, changes: [] });
  const { changes, output } = await pause('--stage', 'prod', '--resume');
  expect(changes).toHaveLength(mappings.length + writing.length);
  expect(output).not.toContain('To undo it');
  expect([paused(), lambda.reserved.size]).toEqual([{ events: [], writes: [] }, 0]);
});

it('makes the other changes, and prints each reason, when Lambda refuses some', async () => {
  lambda.refused = new RegExp(`placeOrderFunction|${mappings[0]}`);
  const { code, output } = await pause('--stage', 'prod', '--events', '--writes');
  const running = writing.filter(id => id !== 'placeOrder').sort();
  expect([code, paused()]).toEqual([1, { events: [mappings[1]], writes: running }]);
  expect(output).toContain(`EventsMapping: not allowed to change ${mappings[0]}\n`);
  expect(output).toMatch(/^placeOrder: not allowed to change physical-placeOrderFunction\w+$/m);
  expect(output).toContain(
    'Writes: PARTLY PAUSED; running: placeOrder\n2 changes failed. To try them again, run the same',
  );
});

it('does not change a reserved concurrency that an operator set, unless it pauses the function', async () => {
  await pause('--stage', 'prod', '--writes');
  const name = [...lambda.reserved.keys()].find(key => key.includes('placeOrder'))!;
  lambda.reserved.set(name, 5);
  const { output } = await pause('--stage', 'prod', '--resume');
  expect([...lambda.reserved]).toEqual([[name, 5]]);
  expect(output).toContain('placeOrder (reserved concurrency 5)');
});

it('pauses the writes of a stage without events', async () => {
  const { code, output } = await pause('--stage', 'quiet', '--events', '--writes');
  expect([code, paused()]).toEqual([0, { events: [], writes: stopped.writes() }]);
  expect(output).toContain('Events: the stage publishes none.');
});

it.each([
  [['--events'], 'Which stage? --stage NAME'],
  [['--stage', 'former', '--events', '--writes'], 'The stack has no function for cancelOrder. Use the checkout of'],
  [['--stage', 'nowhere', '--events'], 'petstore-nowhere does not exist'],
])('changes nothing with %j', async (args, message) => {
  const { code, output, changes } = await pause(...args);
  expect([code, output, changes]).toEqual([1, expect.stringContaining(message), []]);
});
