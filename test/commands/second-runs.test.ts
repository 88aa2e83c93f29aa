import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { failEntries } from '../support/aws-proxy.ts';
import { createCategory, newOrder, stockedPet } from '../support/fixtures.ts';
import { startForwarder } from '../support/forwarder.ts';
import { usePetstore } from '../support/petstore.ts';
import { type Run, run } from '../support/processes.ts';
import { messagesIn, outputsAt, passVisibilityTimeout } from '../support/queue.ts';
import { runCommand } from '../support/run-command.ts';

// Also after failures: adopt, pause, orders, import and webhooks-redrive.test.ts. The others change nothing.

const petstore = usePetstore({ publishesEvents: true });
/** Proxies of the API, of the bus with the queues, and of the table. The outputs name them. */
const proxies = await Promise.all(['', '', inject('endpoint')].map(url => startForwarder(url)));
const front = proxies[0]!;
/** A call after which this process is killed. */
let killed: { readonly run: Run; readonly after: RegExp } | undefined;
beforeAll(async () => {
  front.target = petstore.url;
  proxies[1]!.target = (await outputsAt(petstore.url)).EventsEndpoint!;
  for (const proxy of proxies)
    proxy.hooks = {
      response: (response, { method, path, headers }) => {
        if (path === '/local')
          for (const { target, url } of proxies)
            response.body = `${response.body}`.replaceAll(target, url);
        const isLast = killed?.after.test(`${headers['x-amz-target'] ?? ''} ${method} ${path}`);
        if (isLast) killed!.run.child.kill('SIGKILL');
      },
    };
  const { id: petId } = await stockedPet(petstore.staff, 9);
  for (const client of [petstore.shop, petstore.shop, petstore.rival, petstore.rival])
    await newOrder(client, petId);
  const rejecting = failEntries(({ Detail }) =>
    /"Dead"/.test(Detail) ? 'MalformedDetail' : undefined,
  );
  petstore.aws.faultFor = ({ operation }) => (operation === 'PutEvents' ? rejecting : undefined);
  await createCategory(petstore.staff, 'Dead');
  const deadLetters = () => messagesIn(petstore.url, 'EventsDeadLetterQueueUrl');
  await vi.waitFor(async () => expect(await deadLetters()).toHaveLength(1), 300_000);
});
afterAll(() => proxies.forEach(({ stop }) => void stop()));

const hidden =
  '0 messages: 0 done, 0 left.\n1 are hidden for up to 30 s, because another run received them. Run it again.';
it.each<[line: string, after: RegExp, runs: (string | RegExp)[]]>([
  [
    'client-data erase --client shop --yes',
    /TransactWriteItems/,
    ['2 orders: erased', '0 orders: erased, with 0'],
  ],
  [
    'client-data move --client rival --to portal --yes',
    /TransactWriteItems/,
    ['1 order: moved', '0 orders: moved'],
  ],
  [
    'events/redrive --yes',
    /PutEvents/,
    [hidden, '1 message: 1 done, 0 left.', '0 messages: 0 done, 0 left.'],
  ],
  ['events/republish --yes', /PutEvents/, Array(2).fill(/items: 6 events published, 0 failed/)],
  ['export FILE', /GET .store.inventory/, Array(2).fill('Wrote 1 pet to')],
  ['audit/index', /Scan/, Array(2).fill('0 mismatches in ')],
])(
  'npm run %s, killed after %s, says in the next runs what is left: %j',
  async (line, after, runs) => {
    const file = join(tempFolder('data'), 'pets.xlsx');
    const [name, ...args] = `${line} --local ${front.url}`.replace('FILE', file).split(' ');
    killed = { run: run(`cdk/commands/${name}.ts`, args), after };
    await killed.run.exit;
    expect(killed.run.child.signalCode, killed.run.output()).toBe('SIGKILL');
    killed = undefined;
    for (const printed of runs) {
      const { code, output } = await runCommand(`cdk/commands/${name}.ts`, args);
      expect([code, output]).toEqual([printed === hidden ? 1 : 0, expect.stringMatching(printed)]);
      if (printed === hidden) passVisibilityTimeout();
    }
  },
);
