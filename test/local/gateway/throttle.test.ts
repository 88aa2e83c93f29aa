import { expect, it } from 'vitest';
import { createThrottle, readThrottles } from '../../../cdk/local/gateway/throttle.ts';

const everyTenth = Array.from({ length: 41 }, (_, tenth) => tenth * 100);
it.each([
  [{ rate: 2, burst: 3 }, [0, 0, 0, 0, 500, 500, ...Array(4).fill(60_000)], [0, 0, 0, 500, ...Array(3).fill(60_000)]],
  [{ rate: 0.5, burst: 1 }, everyTenth, [0, 2_000, 4_000]],
])('a throttle of %j allows of the requests at the milliseconds %j those at %j', (throttle, times, allowed) => {
  let now = 0;
  const isAllowed = createThrottle(throttle, () => now);
  const isAllowedAt = (time: number) => {
    now = time;
    return isAllowed();
  };
  expect(times.filter(isAllowedAt)).toEqual(allowed);
});

it('a stage without a default throttle is rejected', () => {
  const MethodSettings = [{ HttpMethod: 'GET', ResourcePath: '/~1pets' }];
  const Resources = { Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { MethodSettings } } };
  expect(() => readThrottles({ Resources })).toThrow('no default throttle');
});
