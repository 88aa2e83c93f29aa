import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dollars, sum } from '../../cdk/cost/numbers.ts';
import { gatewayPrice, monthAtLimits, ordinaryMonth } from '../../cdk/cost/ordinary-month.ts';

const root = join(import.meta.dirname, '../..');

describe('gatewayPrice', () => {
  it('adds the prices of the tiers', () => {
    expect(gatewayPrice(0)).toBe(0);
    expect(gatewayPrice(433e6)).toBeCloseTo(gatewayPrice(333e6) + 100 * 2.8);
  });
});

describe('a month at the limits', () => {
  it('costs more with more load, but less than in proportion, because the price of API Gateway falls', () => {
    expect(monthAtLimits(0)).toBe(0);
    expect(monthAtLimits(10)).toBeLessThan(10 * monthAtLimits(1));
    expect(monthAtLimits(10)).toBeGreaterThan(8 * monthAtLimits(1));
  });
});

describe('the ordinary month of a small shop', () => {
  const totalOf = (month: Readonly<Record<string, number>>) => sum(Object.values(month));

  it('costs only tokens without requests, and more with page views and orders', () => {
    const idle = ordinaryMonth({ pageViews: 0, orders: 0 });
    expect(totalOf(idle)).toBe(idle['Cognito, tokens']);
    const [views, orders] = [ordinaryMonth({ pageViews: 1, orders: 0 }), ordinaryMonth({ pageViews: 0, orders: 1 })];
    expect([views['API Gateway'], orders['API Gateway']]).toEqual([30 * 2 * 3.5e-6, 30 * 4 * 3.5e-6]);
    expect([views.EventBridge, orders.EventBridge]).toEqual([0, 30 * 2 * 2e-6]);
    expect(orders.DynamoDB).toBeGreaterThan(5 * views.DynamoDB!);
  });

  it('has the figure of the README, and is less than $10', () => {
    const total = dollars(totalOf(ordinaryMonth()));
    const [readme, cost] = ['README.md', 'cdk/cost/README.md'].map(file => readFileSync(join(root, file), 'utf8'));
    expect(readme, 'the figure is stale: npm run generate, then README.md').toContain(`costs about ${total} per month`);
    expect(cost).toContain(`**${total}**`);
    expect(totalOf(ordinaryMonth())).toBeLessThan(10);
  });
});
