import { describe, expect, it } from 'vitest';
import { gatewayPrice, ordinaryMonth } from '../../cdk/cost/ordinary-month.ts';

describe('gatewayPrice', () => {
  it('adds up the tiers', () => {
    expect(gatewayPrice(0)).toBe(0);
    expect(gatewayPrice(433e6)).toBeCloseTo(gatewayPrice(333e6) + 100 * 2.8);
  });
});

describe('ordinaryMonth', () => {
  it('grows with the load, and less than in proportion, because the price of API Gateway falls', () => {
    expect(ordinaryMonth(0)).toBe(0);
    expect(ordinaryMonth(10)).toBeLessThan(10 * ordinaryMonth(1));
    expect(ordinaryMonth(10)).toBeGreaterThan(8 * ordinaryMonth(1));
  });
});
