import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { marshall } from '@aws-sdk/util-dynamodb';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';

/** The publisher's input for one new pet. */
export const streamEvent = () => {
  const item = newPetItem(1, { name: 'Kit', categoryId: 1, status: 'available' });
  const { pk, sk, ...rest } = marshall({ ...storedPet(item), writeCount: 1 });
  return {
    Records: [
      {
        eventID: '1',
        eventName: 'INSERT',
        eventSourceARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/petstore/stream/1',
        dynamodb: {
          ApproximateCreationDateTime: Date.now() / 1000,
          Keys: { pk, sk },
          NewImage: { pk, sk, ...rest },
          SequenceNumber: '1',
          StreamViewType: 'NEW_AND_OLD_IMAGES',
        },
      },
    ],
  };
};

/** An event bus over https that accepts everything, and the environment of a publisher that uses it. */
export const startBus = async () => {
  const server = createServer(async (request, response) => {
    const { Entries } = (await json(request)) as { Entries: object[] };
    const accepted = { FailedEntryCount: 0, Entries: Entries.map((_, index) => ({ EventId: `${index}` })) };
    response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(accepted));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await startTlsProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    environment: {
      EVENT_SOURCE: 'petstore.bench',
      EVENTS_GENERATION: '1',
      TABLE_NAME: 'petstore',
      EVENT_BUS: 'petstore',
      EVENTS_ENDPOINT: proxy.url,
      DEAD_LETTER_QUEUE_URL: `${proxy.url}/kept`,
      NODE_EXTRA_CA_CERTS: proxy.certificate,
    },
    stop: () => {
      proxy.stop();
      server.closeAllConnections();
      server.close();
    },
  };
};
