import { expect, it, vi } from 'vitest';
import { createRequestLog } from '../../cdk/local/request-log.ts';

const body = '{"code":"forbidden"}';
it.each<
  [line: string, target: string, status: number, body: string | Buffer, milliseconds: number]
>([
  ['200 GET /pets?limit=2 · 3 ms', '/pets?limit=2', 200, body, 3],
  ['403 GET /a · forbidden · 0 ms', '/a', 403, Buffer.from(body), 0],
  ['431 GET / · 4 ms', '/', 431, '', 4],
])('has a line for each response: %s', (line, ...response) => {
  const [target, status, body, milliseconds] = response;
  const write = vi.fn();
  createRequestLog(write).onResponse({ method: 'GET', target, status, body, milliseconds });
  expect(write.mock.calls).toEqual([[`${line}\n`]]);
});

const cause = { name: 'Error', message: 'why' };
const error = [{ name: 'try_again', message: 'busy', stack: ['    at a (lib/a.ts:1:2)'] }, cause];
const withStack =
  'ERROR {"status":503}\n  try_again: busy\n    at a (lib/a.ts:1:2)\n  caused by Error: why\n';
const lineOf = (level: string, message: unknown) =>
  `${JSON.stringify({ timestamp: 't', level, message })}\n`;

it.each<[string, string, string]>([
  ['of an event', lineOf('INFO', { records: 2, published: 3 }), ''],
  ['of a delivery', lineOf('INFO', { webhook: 'local', outcome: 'delivered' }), ''],
  [
    'of unpublished events',
    lineOf('WARN', { records: 2, published: 0 }),
    'WARN {"records":2,"published":0}\n',
  ],
  ['with a text', lineOf('INFO', 'a message'), 'INFO a message\n'],
  ['with other fields', lineOf('INFO', { any: 'value' }), 'INFO {"any":"value"}\n'],
  ['of an error with its cause', lineOf('ERROR', { status: 503, error }), withStack],
  ['of another format', 'plain\ntext\n', 'plain\ntext\n'],
])('takes a line %s: %j', (_, line, expected) => {
  let text = '';
  createRequestLog(written => (text += written)).log(line);
  expect(text).toBe(expected);
});

it('has a failing webhook once a minute', () => {
  let [text, time] = ['', 0];
  const write = (written: string) => (text += written);
  const { log } = createRequestLog(write, false, () => time);
  const attempt = (webhook: string) => lineOf('WARN', { webhook, outcome: 'retried' });
  log(attempt('one') + attempt('one') + attempt('two'));
  for (time of [59_999, 60_000]) log(attempt('one'));
  expect(text.match(/"webhook":"\w+"/g)).toEqual(
    ['one', 'two', 'one'].map(name => `"webhook":"${name}"`),
  );
});
