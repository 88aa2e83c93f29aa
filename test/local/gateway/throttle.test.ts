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

describe('readThrottles', () => {
  const setting = (HttpMethod: string, ResourcePath: string, rate: number) => ({
    HttpMethod,
    ResourcePath,
    ThrottlingRateLimit: rate,
    ThrottlingBurstLimit: 2 * rate,
  });
  const read = (...MethodSettings: object[]) =>
    readThrottles({ Resources: { Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { MethodSettings } } } });

  it('prefers the setting of a method to that of the stage', () => {
    const throttleOf = read(setting('*', '/*', 1), setting('GET', '/~1pets~1{petId}', 9), setting('GET', '/', 5));
    expect(throttleOf('GET', '/pets/{petId}')).toEqual({ rate: 9, burst: 18 });
    expect(throttleOf('GET', '/')).toEqual({ rate: 5, burst: 10 });
    expect(throttleOf('PUT', '/pets/{petId}')).toEqual({ rate: 1, burst: 2 });
    expect(throttleOf('GET', '/pets')).toEqual({ rate: 1, burst: 2 });
  });

  it('rejects a stage without a default throttle', () => {
    expect(() => read(setting('GET', '/~1pets', 9))).toThrow('no default throttle');
  });
});
