import { describe, expect, it } from 'vitest';
import { createThrottle, readThrottles } from '../../../cdk/local/gateway/throttle.ts';

describe('createThrottle', () => {
  it('lets a burst through, then the rate', () => {
    let time = 0;
    const mayPass = createThrottle({ rate: 2, burst: 3 }, () => time);
    expect([1, 2, 3, 4].map(() => mayPass())).toEqual([true, true, true, false]);
    time = 500;
    expect([mayPass(), mayPass()]).toEqual([true, false]);
    time = 60_000;
    expect([1, 2, 3, 4].map(() => mayPass())).toEqual([true, true, true, false]);
  });

  it('counts half a request a second', () => {
    let time = 0;
    const mayPass = createThrottle({ rate: 0.5, burst: 1 }, () => time);
    const passed = Array.from({ length: 41 }, (_, tenth) => {
      time = tenth * 100;
      return mayPass() ? time : undefined;
    });
    expect(passed.filter(at => at !== undefined)).toEqual([0, 2_000, 4_000]);
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

  it('puts a method’s own setting in place of the stage’s', () => {
    const throttleOf = read(setting('*', '/*', 1), setting('GET', '/~1pets~1{petId}', 9), setting('GET', '/', 5));
    expect(throttleOf('GET', '/pets/{petId}')).toEqual({ rate: 9, burst: 18 });
    expect(throttleOf('GET', '/')).toEqual({ rate: 5, burst: 10 });
    expect(throttleOf('PUT', '/pets/{petId}')).toEqual({ rate: 1, burst: 2 });
    expect(throttleOf('GET', '/pets')).toEqual({ rate: 1, burst: 2 });
  });

  it('refuses a stage whose other methods would have no throttle', () => {
    expect(() => read(setting('GET', '/~1pets', 9))).toThrow('no throttle');
  });
});
