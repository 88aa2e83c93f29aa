import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { startEngine } from '../cdk/local/engine/engine.ts';
import { usePetstore } from './support/petstore.ts';

const engine = await startEngine();
const petstore = usePetstore({ endpoint: engine.endpoint });
afterAll(engine.stop);

let tries = 0;

it('is what a test is run again after, as this one is', async () => {
  tries += 1;
  if (tries === 1) {
    process.kill(engine.pid!, 'SIGSTOP');
    // Longer than a request is patient.
    sleep(4_500).then(() => process.kill(engine.pid!, 'SIGCONT'));
  }
  const { status } = await petstore.anonymous('GET', '/pets/1');
  expect([tries, status]).toEqual([2, 404]);
});
