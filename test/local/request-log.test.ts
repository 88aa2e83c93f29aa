import { expect, it } from 'vitest';
import { createRequestLog } from '../../cdk/local/request-log.ts';
import { startPetstore } from '../support/petstore.ts';

it('the request log has a line for each response, of functions and of the gateway', async () => {
  let text = '';
  const petstore = await startPetstore({ requestLog: createRequestLog(line => (text += line)), logs: true });
  await petstore.anonymous('GET', '/pets?limit=2');
  await petstore.shop('DELETE', '/pets/1');
  await petstore.anonymous('GET', '/nowhere');
  await petstore.stop();
  expect(text.replace(/\d+ ms/g, 'N ms').split('\n')).toEqual([
    '200 GET /pets?limit=2 · N ms',
    '403 DELETE /pets/1 · forbidden · N ms',
    '404 GET /nowhere · not_found · N ms',
    '',
  ]);
});

const error = [
  { name: 'try_again', message: 'busy', stack: ['    at a (lib/a.ts:1:2)'] },
  { name: 'Error', message: 'why' },
];
const lineOf = (level: string, message: unknown) => `${JSON.stringify({ timestamp: 't', level, message })}\n`;

it.each<[string, string, string]>([
  ['of an event', lineOf('INFO', { records: 2, published: 3 }), ''],
  ['of a delivery', lineOf('INFO', { webhook: 'local', outcome: 'delivered' }), ''],
  ['of unpublished events', lineOf('WARN', { records: 2, published: 0 }), 'WARN {"records":2,"published":0}\n'],
  ['with a text', lineOf('INFO', 'a message'), 'INFO a message\n'],
  ['with null', lineOf('INFO', null), 'INFO null\n'],
  ['with other fields', lineOf('INFO', { any: 'value' }), 'INFO {"any":"value"}\n'],
  [
    'of an error with its cause',
    lineOf('ERROR', { operation: 'getPet', status: 503, error }),
    'ERROR {"operation":"getPet","status":503}\n  try_again: busy\n    at a (lib/a.ts:1:2)\n  caused by Error: why\n',
  ],
  ['of another format', 'plain\ntext\n', 'plain\ntext\n'],
])('the request log takes a line %s: %j', (_, line, expected) => {
  let text = '';
  createRequestLog(written => (text += written)).log(line);
  expect(text).toBe(expected);
});

it('the request log has a failing webhook once a minute', () => {
  let [text, time] = ['', 0];
  const { log } = createRequestLog(
    written => (text += written),
    false,
    () => time,
  );
  const attempt = (webhook: string) => lineOf('WARN', { webhook, outcome: 'retried' });
  log(attempt('one') + attempt('one') + attempt('two'));
  time = 59_999;
  log(attempt('one'));
  time = 60_000;
  log(attempt('one'));
  expect(text.match(/"webhook":"\w+"/g)).toEqual(['one', 'two', 'one'].map(name => `"webhook":"${name}"`));
});
