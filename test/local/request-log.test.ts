import { describe, expect, it } from 'vitest';
import { createJsonLog, createTextLog, type RequestLog } from '../../cdk/local/request-log.ts';
import { startPetstore } from '../support/petstore.ts';

/** The lines that a log writes for six requests. */
const linesOf = async (createLog: (write: (text: string) => void) => RequestLog) => {
  let written = '';
  const requestLog = createLog(text => (written += text));
  const petstore = await startPetstore({ requestLog, logs: true });
  await petstore.anonymous('GET', '/pets?limit=2');
  await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
  await petstore.shop('DELETE', '/pets/1');
  await petstore.anonymous('GET', '/store/orders');
  await petstore.anonymous('GET', '/nowhere');
  await petstore.anonymous('PUT', '/pets');
  await expect.poll(() => written.trim().split('\n').length).toBe(6);
  await petstore.stop();
  return written.trim().split('\n');
};

describe('the request log', () => {
  it('has a line of text for each request, also for those that the gateway responds to', async () => {
    const lines = await linesOf(write => createTextLog(write));
    const time = String.raw`\d+ ms`;
    for (const [index, line] of [
      String.raw`^200 GET /pets\?limit=2 · anonymous · 0\.5 RRU · ${time} · cold start$`,
      `^201 POST /pets/categories · staff · [\\d.]+ WRU · ${time} · cold start$`,
      `^403 DELETE /pets/1 · forbidden · shop · ${time} · cold start$`,
      `^401 GET /store/orders · unauthenticated · from the gateway · ${time}$`,
      `^404 GET /nowhere · not_found · from the gateway · ${time}$`,
      `^405 PUT /pets · method_not_allowed · from the gateway · ${time}$`,
    ].entries())
      expect(
        lines.filter(written => new RegExp(line).test(written)),
        `${index}: ${lines.join('\n')}`,
      ).toHaveLength(1);
  });

  it('omits batches that were published, and has those with failures', () => {
    let written = '';
    const { log } = createTextLog(text => (written += text));
    log(`${JSON.stringify({ level: 'INFO', message: { records: 2, published: 3 } })}\n`);
    expect(written).toBe('');
    log(`${JSON.stringify({ level: 'WARN', message: { records: 2, published: 0, retryFrom: '7' } })}\n`);
    expect(written).toBe('WARN {"records":2,"published":0,"retryFrom":"7"}\n');
  });

  it('has the JSON format of Lambda with --json', async () => {
    const lines = (await linesOf(createJsonLog)).map(line => JSON.parse(line));
    expect(lines.map(({ message }) => `${message.operation ?? message.gateway} ${message.status}`).sort()).toEqual([
      'createCategory 201',
      'deletePet 403',
      'listPets 200',
      'true 401',
      'true 404',
      'true 405',
    ]);
  });

  it('has a line for each cause of an error, and other output unchanged', () => {
    let written = '';
    const { log } = createTextLog(text => (written += text));
    const error = [
      { name: 'try_again', message: 'busy', stack: ['    at a (lib/a.ts:1:2)'] },
      { name: 'Error', message: 'why' },
    ];
    const message = { operation: 'getPet', status: 503, code: 'try_again', requestId: 'r', clientId: 'shop', error };
    const line = JSON.stringify({ level: 'ERROR', message });
    log(line.slice(0, 20));
    log(`${line.slice(20)}\nplain text\n${JSON.stringify({ level: 'WARN', message: 'careful' })}\n`);
    expect(written).toBe(
      [
        '503 getPet · try_again · shop',
        '  try_again: busy',
        '    at a (lib/a.ts:1:2)',
        '  caused by Error: why',
        'plain text',
        'WARN careful',
        '',
      ].join('\n'),
    );
  });

  it('has a line for each failed attempt of a webhook, and none for a delivery', () => {
    let written = '';
    const { log } = createTextLog(text => (written += text));
    const attempt = { webhook: 'local', eventId: 'pets/1/0001-01/created', attempt: 2 };
    for (const [level, message] of [
      ['INFO', { ...attempt, outcome: 'delivered', status: 204 }],
      ['WARN', { ...attempt, outcome: 'retried', status: 500, retryInSeconds: 7 }],
      ['ERROR', { ...attempt, outcome: 'deadLettered', error: 'ECONNREFUSED' }],
    ])
      log(`${JSON.stringify({ level, message })}\n`);
    expect(written).toBe(
      [
        'WARN webhook local: 500 · retried in 7 s · attempt 2 · pets/1/0001-01/created',
        'ERROR webhook local: ECONNREFUSED · deadLettered · attempt 2 · pets/1/0001-01/created',
        '',
      ].join('\n'),
    );
  });
});
