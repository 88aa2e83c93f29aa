import { afterAll, expect, it, vi } from 'vitest';
import { serve } from '../support/http.ts';
import { runCommand } from '../support/run-command.ts';

/** Has no orders. */
const orders: URLSearchParams[] = [];
const api = await serve(({ url }, _, response) => {
  const [path, query] = url!.split('?');
  const isOfOrders = path === '/store/orders';
  if (isOfOrders) orders.push(new URLSearchParams(query));
  const outputs = { ApiUrl: api.url, TokenUrl: `${api.url}/token`, access_token: 'x' };
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(isOfOrders ? [] : outputs));
});
afterAll(api.stop);

it.each([
  ['America/New_York', '2026-03-08', '2026-03-08T05:00', 23],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00', 25],
  ['Asia/Kathmandu', '2026-11-01', '2026-10-31T18:15', 24],
])('in %s, %s begins at %s of UTC and has %d hours', async (zone, day, time, hours) => {
  vi.stubEnv('TZ', zone);
  const start = Date.parse(`${time}Z`);
  const end = start + hours * 3_600_000;
  for (const text of [day, 'today']) {
    const args = ['--local', api.url, '--since', text, '--until', text];
    await runCommand('cdk/commands/orders.ts', args, {}, () => end - 1);
    const { placedFrom, placedBefore } = Object.fromEntries(orders.pop()!);
    expect([placedFrom, placedBefore].map(at => Date.parse(at!))).toEqual([start, end]);
  }
});
