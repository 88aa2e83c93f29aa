import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eachMessage } from '../../../cdk/commands/shared/each-message.ts';
import { localClient } from '../../../cdk/commands/shared/here.ts';

interface Held {
  readonly id: string;
  receipt: string;
  /** Until so many calls were answered. */
  hiddenUntil: number;
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/**
 * A queue in which time is counted in calls; it refuses as SQS does.
 * @param hides for how many calls a message that was received is hidden
 * @param most messages an answer has
 */
const startQueue = async (ids: readonly string[], { hides = 1_000, most = 10, forbids = '' } = {}) => {
  let calls = 0;
  const held = new Map<string, Held>(ids.map(id => [id, { id, receipt: '', hiddenUntil: 0 }]));
  const isHidden = ({ hiddenUntil }: Held) => hiddenUntil > calls;
  /** The one that was received longest ago comes first. */
  const byAge = (a: Held, b: Held) => a.hiddenUntil - b.hiddenUntil;

  // biome-ignore lint/suspicious/noExplicitAny: bodies of SQS's API
  const answer = (operation: string, { ReceiptHandle = '' }: any): object | [error: string, message: string] => {
    calls += 1;
    if (operation === forbids) return ['AccessDenied', 'Access to the resource is denied.'];
    const message = held.get(ReceiptHandle.split(' ')[0]);
    if (operation === 'ReceiveMessage') {
      const received = [...held.values()].filter(each => !isHidden(each)).sort(byAge);
      const Messages = received.slice(0, most).map(each => {
        Object.assign(each, { receipt: `${each.id} ${calls}`, hiddenUntil: calls + hides });
        return { MessageId: each.id, ReceiptHandle: each.receipt, Body: each.id };
      });
      return Messages.length > 0 ? { Messages } : {};
    }
    if (operation === 'DeleteMessage') {
      held.delete(message?.id ?? '');
      return {};
    }
    if (message?.receipt !== ReceiptHandle)
      return ['InvalidParameterValue', 'Message does not exist or is not available for visibility timeout change.'];
    if (!isHidden(message!)) return ['MessageNotInflight', `${ReceiptHandle} is not in flight.`];
    message!.hiddenUntil = 0;
    return {};
  };

  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1]!;
    const given = answer(operation, await json(request));
    if (!Array.isArray(given)) return response.end(JSON.stringify(given));
    const [error, message] = given;
    return response
      .writeHead(400, { 'x-amzn-query-error': `AWS.SimpleQueueService.${error};Sender` })
      .end(JSON.stringify({ __type: `com.amazonaws.sqs#${error}`, message }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sqs = new SQSClient({ ...localClient, endpoint: url, md5: false });
  stops.push(() => {
    sqs.destroy();
    server.close();
  });
  return {
    queue: { sqs, url: `${url}/1/queue`, hiddenFor: 300 },
    hidden: () => [...held.values()].filter(isHidden).map(({ id }) => id),
    shown: () => [...held.values()].filter(each => !isHidden(each)).map(({ id }) => id),
    late: (id: string) => held.set(id, { id, receipt: '', hiddenUntil: calls + 3 }),
  };
};

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);

/** Is done with all but those named. */
const noting = (...stay: string[]) => {
  const taken: string[] = [];
  return {
    taken,
    take: async ({ Body = '' }: { Body?: string | undefined }) => {
      taken.push(Body);
      return !stay.includes(Body);
    },
  };
};

describe('the messages of a queue', () => {
  it('are taken once each; those that are done with are deleted, the others put back', async () => {
    const { queue, shown, hidden } = await startQueue(idsOf(25));
    const { taken, take } = noting('m3', 'm17');
    expect(await eachMessage(queue, take)).toEqual({ done: 23, left: 2 });
    expect(taken).toEqual(idsOf(25));
    expect([shown(), hidden()]).toEqual([['m3', 'm17'], []]);
  });

  it('are taken and counted once where they come again during a long run, and none is left out for that', async () => {
    const ids = idsOf(12);
    const { queue, late, hidden } = await startQueue(ids, { hides: 2, most: 3 });
    const { taken, take } = noting(...ids, 'late');
    late('late');
    expect(await eachMessage(queue, take)).toEqual({ done: 0, left: 13 });
    expect(taken.toSorted()).toEqual([...ids, 'late'].toSorted());
    expect(hidden()).toEqual([]);
  });

  it('are looked for behind a batch of those that were seen', async () => {
    const { queue, late } = await startQueue(['a', 'b'], { hides: 1 });
    const { taken, take } = noting('a', 'b');
    late('late');
    expect(await eachMessage(queue, take)).toEqual({ done: 1, left: 2 });
    expect(taken).toEqual(['a', 'b', 'late']);
  });

  it('are put back as far as they are hidden still, and what is not changes nothing', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { queue, hidden } = await startQueue(idsOf(8), { hides: 6 });
    const { take } = noting(...idsOf(8));
    expect(await eachMessage(queue, take)).toEqual({ done: 0, left: 8 });
    expect([hidden(), said.mock.calls]).toEqual([[], []]);
    said.mockRestore();
  });

  it('are put back also where the work breaks off, those that it had not come to with them', async () => {
    const { queue, shown } = await startQueue(idsOf(5));
    const broken = eachMessage(queue, async ({ Body }) => {
      if (Body === 'm2') throw new Error('The bus is gone.');
      return true;
    });
    await expect(broken).rejects.toThrow('The bus is gone.');
    expect(shown()).toEqual(['m2', 'm3', 'm4']);
  });

  it('come back by themselves where they may not be put back, and the result stands', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { queue } = await startQueue(idsOf(5), { forbids: 'ChangeMessageVisibility' });
    expect(await eachMessage(queue, noting('m1', 'm2').take)).toEqual({ done: 3, left: 2 });
    expect(said.mock.calls).toEqual([[expect.stringMatching(/again in 5 minutes, not before: Access .* denied/)]]);
    said.mockRestore();
  });
});
