import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createAwsJsonClient } from '../../../cdk/local/events/aws-json-client.ts';

it('gives up on a call without a response, so that a poller polls again', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service = { endpoint, name: 'dynamodb', target: 'DynamoDBStreams_20120810', accessKey: 'publisher' };
  const call = createAwsJsonClient(service, 100);
  await expect(call('GetRecords', {})).rejects.toThrow('timeout');
  server.closeAllConnections();
  server.close();
});
