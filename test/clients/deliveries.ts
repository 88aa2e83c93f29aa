import { expect, it, onTestFinished } from 'vitest';
import { stockedPet } from '../support/fixtures.ts';
import { startPetstore, synthesizeShared } from '../support/petstore.ts';
import { startReceiver } from '../webhooks/receiver.ts';

// Installed only in this folder, so the project's compiler cannot find its types.
const { HTTP } = await import('cloudevents' as string);

it('the CloudEvents SDK for JavaScript reads every delivery of a webhook', async () => {
  const receiver = await startReceiver();
  const webhook = {
    url: receiver.url,
    types: ['petstore.*'],
    secret: 'petstore/partner',
    concurrency: 10,
  };
  const assembly = await synthesizeShared({ stage: 'local', settings: { webhooks: { webhook } } });
  const petstore = await startPetstore({ publishesEvents: true, assembly });
  onTestFinished(async () => {
    await petstore.stop();
    receiver.stop();
  });
  const { id: petId } = await stockedPet(petstore.staff, 1);
  await petstore.shop('POST', '/store/orders', { body: { petId } });
  await expect
    .poll(() => receiver.events.map(({ type }) => type))
    .toContain('petstore.order.placed');
  for (const { headers, body, event } of receiver.requests) {
    const read = HTTP.toEvent({ headers, body });
    expect(read.validate()).toBe(true);
    expect(JSON.parse(JSON.stringify(read))).toEqual({
      ...event,
      time: new Date(event.time).toISOString(),
    });
  }
});
