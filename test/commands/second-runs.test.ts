import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { queueArn } from '../../cdk/local/events/sqs-queue.ts';
import { resourcesOf } from '../../cdk/synthesis/template.ts';
import { createCategory, newOrder, stockedPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { newFolder, type Run, run } from '../support/processes.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';
import { callQueue, messagesIn, outputsAt, passVisibilityTimeout } from '../webhooks/queue.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const receiver = await startReceiver();
const one = { url: receiver.url, types: ['petstore.*'], secret: 'petstore/partner', concurrency: 2 };
const assembly = await synthesizeShared({ stage: 'local', settings: { webhooks: { one } } });
const petstore = usePetstore({ publishesEvents: true, assembly });

/** Proxies of the table, of the bus with the queues, and of the API, whose outputs name the other two. */
const [table, bus, front] = await Promise.all([
  startRewritingProxy(inject('endpoint')),
  startRewritingProxy(''),
  startRewritingProxy(''),
]);
/** A call after which this process is killed. */
let killed: { readonly run: Run; readonly after: RegExp } | undefined;
beforeAll(async () => {
  const { EventsEndpoint: endpoint, WebhooksDeadLetterQueueUrl } = await outputsAt(petstore.url);
  bus.target = endpoint!;
  front.target = petstore.url;
  table.rewrite =
    bus.rewrite =
    front.rewrite =
      {
        response: (response, { method, path, headers }) => {
          if (path === '/local')
            response.body = `${response.body}`
              .replaceAll(endpoint!, bus.url)
              .replaceAll(petstore.url, front.url)
              .replace(table.target, table.url);
          if (killed?.after.test(`${headers['x-amz-target'] ?? ''} ${method} ${path}`))
            killed.run.child.kill('SIGKILL');
        },
      };
  const { id: petId } = await stockedPet(petstore.staff, 9);
  for (const client of [petstore.shop, petstore.shop, petstore.rival, petstore.rival]) await newOrder(client, petId);
  // A change that the bus rejects, and an event that a webhook did not accept.
  petstore.aws.faultFor = ({ operation }) =>
    operation === 'PutEvents'
      ? { failEntries: ({ Detail }) => (/"Dead"/.test(Detail) ? 'MalformedDetail' : undefined) }
      : undefined;
  await createCategory(petstore.staff, 'Dead');
  await vi.waitFor(
    async () => expect(await messagesIn(petstore.url, 'EventsDeadLetterQueueUrl')).toHaveLength(1),
    30_000,
  );
  const queue = resourcesOf(assembly.template, 'AWS::SQS::Queue').find(([id]) => id.startsWith('Webhooksone'))![0];
  const MessageAttributes = { queue: { DataType: 'String', StringValue: queueArn(queue) } };
  const MessageBody = JSON.stringify({ specversion: '1.0', id: 'x', data: {} });
  await callQueue(WebhooksDeadLetterQueueUrl!, 'SendMessage', { MessageBody, MessageAttributes });
});
afterAll(() => {
  for (const { stop } of [receiver, table, bus, front]) stop();
  vi.restoreAllMocks();
});

const hidden =
  '0 messages: 0 done, 0 left.\n1 are hidden for up to 30 s, because another run received them. Run it again.';
const redriven = [hidden, '1 messages: 1 done, 0 left.', '0 messages: 0 done, 0 left.'];
it.each<[line: string, after: RegExp, runs: (string | RegExp)[]]>([
  ['client-data erase --client shop --yes', /TransactWriteItems/, ['2 orders: erased', '0 orders: erased, with 0']],
  ['client-data move --client rival --to portal --yes', /TransactWriteItems/, ['1 orders: moved', '0 orders: moved']],
  ['events/redrive --yes', /PutEvents/, redriven],
  ['webhooks/redrive --yes', /SendMessage/, redriven],
  ['events/republish --yes', /PutEvents/, Array(2).fill(/items: 6 events published, 0 failed/)],
  ['export FILE', /GET .store.inventory/, Array(2).fill('1 pets are in')],
  ['audit/index', /Scan/, Array(2).fill(' 0 mismatches, 0 uncertain')],
])('npm run %s, killed after %s, says in the next runs what is left: %j', async (line, after, runs) => {
  const file = join(await newFolder(), 'pets.xlsx');
  const [name, ...args] = `${line} --local ${front.url}`.replace('FILE', file).split(' ');
  killed = { run: run(`cdk/commands/${name}.ts`, args), after };
  await killed.run.exit;
  expect(killed.run.child.signalCode, killed.run.output()).toBe('SIGKILL');
  killed = undefined;
  for (const printed of runs) {
    const { code, output } = await runInProcess(`cdk/commands/${name}.ts`, args);
    expect([code, output]).toEqual([printed === hidden ? 1 : 0, expect.stringMatching(printed)]);
    if (printed === hidden) passVisibilityTimeout();
  }
});
