import { afterAll, beforeAll, expect, it, vi } from 'vitest';
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
afterAll(aws.stop);

const idsUpTo = (count: number) => Array.from({ length: count }, (_, id) => id);
/** @param count more messages @param isDone whether a message can be deleted */
const run = async (count: number, isDone: (id: number) => boolean, isDry = false) => {
  for (const id of idsUpTo(count)) await callQueue(queue, 'SendMessage', { MessageBody: `${id}` });
  const [ids, log] = [[] as number[], vi.spyOn(console, 'log').mockReset().mockReturnValue()];
  const code = await redrive(queue, isDry, async ({ Body }) => {
    ids.push(Number(Body));
    return isDone(Number(Body)) ? { what: 'taken', isDone: true } : { what: 'kept', isDone: false };
  });
  return [code, ids, ...log.mock.calls.flat()];
};

it('hands over each message once, deletes those that are done, and makes the others visible again', async () => {
  expect(await run(25, () => true, true)).toEqual([0, idsUpTo(25), '25 taken', '25 messages: nothing was changed.']);
  const lines = ['23 taken', '2 kept', '25 messages: 23 done, 2 left.'];
  expect(await run(0, id => id !== 3 && id !== 24)).toEqual([1, idsUpTo(25), ...lines]);
  expect(await run(0, () => true)).toEqual([0, [3, 24], '2 taken', '2 messages: 2 done, 0 left.']);
  expect(await run(0, () => true)).toEqual([0, [], '0 messages: 0 done, 0 left.']);
  // Without this, the local queue returns all attributes and every message, too.
  const MessageSystemAttributeNames = ['SentTimestamp', 'DeadLetterQueueSourceArn'];
  const input = { MessageSystemAttributeNames, MessageAttributeNames: ['All'], WaitTimeSeconds: 2 };
  expect(aws.calls.find(({ operation }) => operation === 'ReceiveMessage')!.body).toMatchObject(input);
});

it('hands over no message twice that becomes visible again, and accepts that its receipt has expired', async () => {
  aws.denial = ({ operation }) => (operation === 'ChangeMessageVisibility' ? 'The receipt has expired.' : undefined);
  const isDone = (id: number) => {
    if (id === 9) passVisibilityTimeout();
    return id < 5 || id > 9;
  };
  expect(await run(15, isDone)).toEqual([1, idsUpTo(15), '10 taken', '5 kept', '15 messages: 10 done, 5 left.']);
  passVisibilityTimeout();
  expect(await run(0, () => true)).toEqual([0, [5, 6, 7, 8, 9], '5 taken', '5 messages: 5 done, 0 left.']);
});

it('deletes a message again that SQS returns after its deletion, and does not count it as left', async () => {
  aws.denial = () => undefined;
  let deletions = 0;
  aws.faultFor = ({ operation }) => (operation === 'DeleteMessage' && deletions++ === 0 ? 'forget' : undefined);
  const isDone = (id: number) => {
    if (id === 1) passVisibilityTimeout();
    return true;
  };
  expect(await run(2, isDone)).toEqual([0, [0, 1], '2 taken', '2 messages: 2 done, 0 left.']);
  aws.faultFor = () => undefined;
  expect(await run(0, () => true)).toEqual([0, [], '0 messages: 0 done, 0 left.']);
});
