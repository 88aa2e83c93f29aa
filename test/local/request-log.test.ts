import { describe, expect, it } from 'vitest';
import { createRequestLog } from '../../cdk/local/request-log.ts';
import { startPetstore } from '../support/petstore.ts';

/** What a log writes. */
const written = (action: (log: ReturnType<typeof createRequestLog>) => void) => {
  let text = '';
  action(createRequestLog(line => (text += line)));
  return text;
};
const logged = (level: string, message: unknown) =>
  written(({ log }) => log(`${JSON.stringify({ timestamp: 't', level, message })}\n`));

describe('the request log', () => {
  it('has a line for each response, of functions and of the gateway', async () => {
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

  it('has a line for each cause of an error', () => {
    const error = [
      { name: 'try_again', message: 'busy', stack: ['    at a (lib/a.ts:1:2)'] },
      { name: 'Error', message: 'why' },
    ];
    expect(logged('ERROR', { operation: 'getPet', status: 503, error })).toBe(
      [
        'ERROR {"operation":"getPet","status":503}',
        '  try_again: busy',
        '    at a (lib/a.ts:1:2)',
        '  caused by Error: why',
        '',
      ].join('\n'),
    );
  });

  it.each<[string, unknown, string]>([
    ['INFO', { records: 2, published: 3 }, ''],
    ['WARN', { records: 2, published: 0 }, 'WARN {"records":2,"published":0}\n'],
    ['INFO', { webhook: 'local', outcome: 'delivered' }, ''],
    ['ERROR', { webhook: 'local', error: 'ECONNREFUSED' }, 'ERROR {"webhook":"local","error":"ECONNREFUSED"}\n'],
    ['INFO', 'a message', 'INFO a message\n'],
    ['INFO', null, 'INFO null\n'],
    ['INFO', { any: 'value' }, 'INFO {"any":"value"}\n'],
  ])('writes of %s %j: %j', (level, message, line) => {
    expect(logged(level, message)).toBe(line);
  });

  it('writes other output as it is', () => {
    expect(written(({ log }) => log('plain\ntext\n'))).toBe('plain\ntext\n');
  });
});
