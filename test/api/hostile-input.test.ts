import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectHarmless, hostileRequest, sendRaw } from '../support/hostile.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

describe('hostile input', () => {
  it('never results in a 5xx, and every error response has exactly code, message and status', async () => {
    const token = await petstore.token('staff');
    await fc.assert(
      fc.asyncProperty(hostileRequest, async request => {
        expectHarmless(await sendRaw(petstore.url, token, request), petstore);
      }),
      // npm run test:fuzz sends many more.
      { numRuns: 500 },
    );
    expect(petstore.logs.join('')).not.toContain('"level":"ERROR"');
  });
});
