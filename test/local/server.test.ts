import { expect, inject, it } from 'vitest';
import { loadSigningKey } from '../../cdk/local/auth/signing-key.ts';
import { startServer } from '../../cdk/local/server.ts';
import { serve } from '../support/http.ts';
import { sharedAssembly } from '../support/petstore.ts';

it('a server that cannot listen leaves no other server listening', async () => {
  const other = await serve(() => undefined);
  const listening = () => process.getActiveResourcesInfo().filter(name => name === 'TCPServerWrap').length;
  const before = listening();
  const options = { assembly: sharedAssembly(), endpoint: inject('endpoint'), signingKey: await loadSigningKey() };
  const started = startServer({ ...options, tableName: 'not-served', port: Number(new URL(other.url).port) });
  await expect(started).rejects.toThrow('EADDRINUSE');
  await expect.poll(listening).toBe(before);
  other.stop();
});
