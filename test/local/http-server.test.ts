import { expect, it, onTestFinished } from 'vitest';
import { listen, loopback } from '../../cdk/local/http-server.ts';
import { send } from '../support/http.ts';

it('a client may reuse a connection after a pause of up to 75 seconds', async () => {
  const answer = async (_: unknown, response: { end: () => unknown }) => response.end();
  const server = await listen(answer, loopback, 0, () => undefined);
  onTestFinished(server.stop);
  const { headers } = await send(`http://${loopback}:${server.port}`);
  expect(headers.get('Keep-Alive')).toBe('timeout=75');
});
