import { describe, expect, it } from 'vitest';
import { createThrottle, readThrottles } from '../../../cdk/local/gateway/throttle.ts';

describe('createThrottle', () => {
  it('allows a burst, then the rate', () => {
    let time = 0;
    const isAllowed = createThrottle({ rate: 2, burst: 3 }, () => time);
    expect([1, 2, 3, 4].map(() => isAllowed())).toEqual([true, true, true, false]);
    time = 500;
    expect([isAllowed(), isAllowed()]).toEqual([true, false]);
    time = 60_000;
    expect([1, 2, 3, 4].map(() => isAllowed())).toEqual([true, true, true, false]);
  });

  it('supports rates below one request a second', () => {
    let time = 0;
    const isAllowed = createThrottle({ rate: 0.5, burst: 1 }, () => time);
    const allowed = Array.from({ length: 41 }, (_, tenth) => {
      time = tenth * 100;
      return isAllowed() ? time : undefined;
    });
    expect(allowed.filter(at => at !== undefined)).toEqual([0, 2_000, 4_000]);
  });
});

it('a stage without a default throttle is rejected', () => {
  const MethodSettings = [{ HttpMethod: 'GET', ResourcePath: '/~1pets' }];
  const Resources = { Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { MethodSettings } } };
  expect(() => readThrottles({ Resources })).toThrow('no default throttle');
});
