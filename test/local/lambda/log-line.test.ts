import { expect, it } from 'vitest';
import { logLine } from '../../../cdk/local/lambda/log-line.ts';

const logged = (message: unknown, ...more: unknown[]) => JSON.parse(logLine('error', 'r', message, ...more));

it('a log line has an object, and the text of errors, of several arguments, and of values that JSON does not support', () => {
  const timestamp = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(logged({ status: 200 })).toEqual({ timestamp, level: 'ERROR', requestId: 'r', message: { status: 200 } });
  expect(logged(new TypeError('broken')).message).toMatch(/^TypeError: broken\n {4}at /);
  expect(logged('It is %s', 'broken', 7).message).toBe('It is broken 7');
  const loop: object[] = [];
  loop.push(loop);
  expect(logged(loop).message).toBe('<ref *1> [ [Circular *1] ]');
  expect(logged({ units: 1n }).message).toBe('{ units: 1n }');
});
