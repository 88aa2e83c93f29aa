import { expect, it } from 'vitest';
import { createThrottle, readThrottles } from '../../../cdk/local/gateway/throttle.ts';

it('a throttle allows a burst, then the rate', () => {
  let time = 0;
  const isAllowed = createThrottle({ rate: 2, burst: 3 }, () => time);
  const allowed = (count: number) => Array.from({ length: count }, () => isAllowed());
  expect(allowed(4)).toEqual([true, true, true, false]);
  time = 500;
  expect(allowed(2)).toEqual([true, false]);
  time = 60_000;
  expect(allowed(4)).toEqual([true, true, true, false]);
});

it('a throttle supports rates below one request a second', () => {
  let time = 0;
  const isAllowed = createThrottle({ rate: 0.5, burst: 1 }, () => time);
  const allowed: number[] = [];
  for (; time <= 4_000; time += 100) if (isAllowed()) allowed.push(time);
  expect(allowed).toEqual([0, 2_000, 4_000]);
});

it('a stage without a default throttle is rejected', () => {
  const MethodSettings = [{ HttpMethod: 'GET', ResourcePath: '/~1pets' }];
  const Resources = { Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { MethodSettings } } };
  expect(() => readThrottles({ Resources })).toThrow('no default throttle');
});
