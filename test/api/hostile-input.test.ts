import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectHarmless, hostileRequest, sendRaw } from '../support/hostile.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

describe('hostile input', () => {
  it('never gives a 5xx, and every error has exactly its three fields and nothing of ours', async () => {
    const token = await petstore.token('staff');
    await fc.assert(
      fc.asyncProperty(hostileRequest, async request => {
        expectHarmless(await sendRaw(petstore.url, token, request), petstore);
      }),
      // Many more in npm run test:fuzz.
      { numRuns: 500 },
    );
    expect(petstore.logs.join('')).not.toContain('"level":"ERROR"');
  });
});
