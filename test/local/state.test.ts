import { expect, it } from 'vitest';
import { createQueue } from '../../cdk/local/events/sqs-queue.ts';
import { openState } from '../../cdk/local/state.ts';
import { newFolder } from '../support/processes.ts';

it('the state stays in its data folder, which one server at a time can use', async () => {
  const folder = await newFolder();
  const definition = { id: 'Work', visibilityTimeout: 30 };
  const first = openState(folder);
  createQueue(definition, first).sendMessage({ MessageBody: 'a' });
  expect(() => openState(folder)).toThrow(`Another server (process ${process.pid}) uses the data folder ${folder}.`);
  first.close();
  const second = openState(folder);
  expect(createQueue(definition, second).receiveMessage({})).toMatchObject({ Messages: [{ Body: 'a' }] });
  second.close();
});
