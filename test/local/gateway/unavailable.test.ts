import { expect, it, vi } from 'vitest';
import { withUnavailability } from '../../../cdk/local/gateway/unavailable.ts';

const unknown = 'outcome_unknown';
it.each<[request: string, random: number[], outcome: string | number, invocations: number, returned?: number]>([
  ['GET /pets', [0.2], 200, 1],
  ['GET /pets', [0.19], 'try_again', 0],
  ['POST /store/orders', [0.2], 200, 1],
  ['POST /store/orders', [0.19, 0.49], 'try_again', 0],
  // The random number after 0.5 decides whether the write is executed.
  ['POST /store/orders', [0.19, 0.5, 0.49], unknown, 1],
  ['POST /store/orders', [0.19, 0.5, 0.5], unknown, 0],
  // The response of the function is an error, so it is returned: an error has a known outcome.
  ['POST /store/orders', [0.19, 0.5, 0.49], 409, 1, 409],
  ['GET /openapi.json', [], 200, 1],
])('a share of 0.2: %s with the random numbers %j is %s after %i invocations', async (request, random, ...expected) => {
  const [outcome, invocations, statusCode = 200] = expected;
  const invoke = vi.fn(async () => ({ statusCode, body: '{}' }));
  const [httpMethod, resource] = request.split(' ');
  const left = [...random];
  const functionOf = withUnavailability(
    () => ({ invoke }),
    0.2,
    () => left.shift()!,
  );
  const result = await functionOf('F').invoke({ httpMethod, resource, requestContext: { requestId: 'r' } });
  const { statusCode: status, body } = result as { statusCode: number; body: string };
  expect([JSON.parse(body).code ?? status, invoke.mock.calls.length, left]).toEqual([outcome, invocations, []]);
});
