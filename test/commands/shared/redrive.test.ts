import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { redrive } from '../../../cdk/commands/shared/redrive.ts';
import { openStage } from '../../../cdk/commands/shared/stage.ts';
import { startAwsProxy } from '../../support/aws-proxy.ts';
import { usePetstore } from '../../support/petstore.ts';
import { callQueue, passVisibilityTimeout } from '../../webhooks/queue.ts';

const petstore = usePetstore();
const aws = await startAwsProxy();
let queue: string;
beforeAll(async () => {
  const { output } = await openStage({ local: petstore.url });
  aws.target = output('EventsEndpoint');
  queue = output('EventsDeadLetterQueueUrl').replace(aws.target, aws.url);
});
afterEach(() => void vi.restoreAllMocks());
afterAll(aws.stop);

const deadLetter = async (count: number) => {
  for (let id = 0; id < count; id++) await callQueue(queue, 'SendMessage', { MessageBody: `${id}` });
};
/** @param isDone of each message */
const run = async (isDone: (id: number) => boolean = () => true, isDry = false) => {
  const [ids, log] = [[] as number[], vi.spyOn(console, 'log').mockReset().mockReturnValue()];
  const code = await redrive(queue, isDry, async ({ Body: id }) => {
    ids.push(Number(id));
    return isDone(Number(id)) ? { what: 'taken', isDone: true } : { what: 'kept', isDone: false };
  });
  return { code, ids, lines: log.mock.calls.flat() };
};
const idsUpTo = (count: number) => Array.from({ length: count }, (_, id) => id);

it('hands over each message once, deletes those that are done, and makes the others visible again', async () => {
  await deadLetter(25);
  const dry = { code: 0, ids: idsUpTo(25), lines: ['25 taken', '25 messages: nothing was changed.'] };
  expect(await run(undefined, true)).toEqual(dry);
  const lines = ['23 taken', '2 kept', '25 messages: 23 done, 2 left.'];
  expect(await run(id => id !== 3 && id !== 24)).toEqual({ code: 1, ids: idsUpTo(25), lines });
  expect(await run()).toEqual({ code: 0, ids: [3, 24], lines: ['2 taken', '2 messages: 2 done, 0 left.'] });
  expect(await run()).toEqual({ code: 0, ids: [], lines: ['0 messages: 0 done, 0 left.'] });
  // The local queue returns all attributes, and never an empty response while there are messages.
  const receive = aws.calls.find(({ operation }) => operation === 'ReceiveMessage')!.body;
  const MessageSystemAttributeNames = ['SentTimestamp', 'DeadLetterQueueSourceArn'];
  expect(receive).toMatchObject({ MessageSystemAttributeNames, MessageAttributeNames: ['All'], WaitTimeSeconds: 2 });
});

it('hands over no message twice when it becomes visible again, and accepts that its receipt has expired', async () => {
  await deadLetter(15);
  aws.denial = ({ operation }) => (operation === 'ChangeMessageVisibility' ? 'The receipt has expired.' : undefined);
  const { code, ids, lines } = await run(id => {
    if (id === 9) passVisibilityTimeout();
    return id < 5 || id > 9;
  });
  expect([code, ids, lines]).toEqual([1, idsUpTo(15), ['10 taken', '5 kept', '15 messages: 10 done, 5 left.']]);
  passVisibilityTimeout();
  expect((await run()).ids).toEqual([5, 6, 7, 8, 9]);
});
