import { afterEach, expect, it, vi } from 'vitest';
import { environment } from '../../lib/environment.ts';

afterEach(() => void vi.unstubAllEnvs());

it('an empty variable is absent: it has a default, or throws an error with its name', () => {
  for (const name of [
    'WARM_UP_TIMEOUT_MS',
    'ATTEMPT_TIMEOUT_MS',
    'RETRY_BUDGET_MS',
    'GRACE_PERIOD_MS',
    'INDEX_SHARDS',
    'TABLE_NAME',
  ])
    vi.stubEnv(name, '');
  const { warmUpTimeout, attemptTimeout, retryBudget, gracePeriod, indexShards } = environment;
  expect([warmUpTimeout, attemptTimeout, retryBudget, gracePeriod, indexShards]).toEqual([
    300, 1_000, 3_000, 500, 1,
  ]);
  expect(() => environment.tableName).toThrow(
    'The environment variable TABLE_NAME is not set. The stack sets it: cdk/stack/.',
  );
});
