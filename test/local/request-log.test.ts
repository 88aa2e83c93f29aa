import { describe, expect, it } from 'vitest';
import { journalAsJson, journalForPeople, type RequestJournal } from '../../cdk/local/request-log.ts';
import { startPetstore } from '../support/petstore.ts';

/** A petstore that is used a little, and what its journal writes of that. */
const writtenBy = async (make: (write: (text: string) => void) => RequestJournal) => {
  let written = '';
  const journal = make(text => (written += text));
  const petstore = await startPetstore({ journal });
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

describe('the journal', () => {
  it('has a line for people for each request, those included that no function sees', async () => {
    const lines = await writtenBy(write => journalForPeople(write));
    const time = String.raw`\d+ ms`;
    for (const [index, line] of [
      String.raw`^200 GET /pets\?limit=2 · anonymous · 0\.5 RRU · ${time} · cold start$`,
      `^201 POST /pets/categories · staff · [\\d.]+ WRU · ${time} · cold start$`,
      `^403 DELETE /pets/1 · forbidden · shop · ${time} · cold start$`,
      `^401 GET /store/orders · unauthenticated · answered by the gateway · ${time}$`,
      `^404 GET /nowhere · not_found · answered by the gateway · ${time}$`,
      `^405 PUT /pets · method_not_allowed · answered by the gateway · ${time}$`,
    ].entries())
      expect(
        lines.filter(written => new RegExp(line).test(written)),
        `${index}: ${lines.join('\n')}`,
      ).toHaveLength(1);
  });

  it('says of changes that were told nothing, and all when some were not', () => {
    let written = '';
    const { log } = journalForPeople(text => (written += text));
    log(`${JSON.stringify({ level: 'INFO', message: { records: 2, published: 3 } })}\n`);
    expect(written).toBe('');
    log(`${JSON.stringify({ level: 'WARN', message: { records: 2, published: 0, retryFrom: '7' } })}\n`);
    expect(written).toBe('WARN {"records":2,"published":0,"retryFrom":"7"}\n');
  });

  it('has Lambda’s own form when that is asked for', async () => {
    const lines = (await writtenBy(journalAsJson)).map(line => JSON.parse(line));
    expect(lines.map(({ message }) => `${message.operation ?? message.gateway} ${message.status}`).sort()).toEqual([
      'createCategory 201',
      'deletePet 403',
      'listPets 200',
      'true 401',
      'true 404',
      'true 405',
    ]);
  });

  it('spreads out a failure, and shows what is no request as it is', () => {
    let written = '';
    const { log } = journalForPeople(text => (written += text));
    const error = [
      { name: 'try_again', message: 'busy', stack: ['    at a (lib/a.ts:1:2)'] },
      { name: 'Error', message: 'why' },
    ];
    const message = { operation: 'getPet', status: 503, code: 'try_again', requestId: 'r', clientId: 'shop', error };
    const line = JSON.stringify({ level: 'ERROR', message });
    log(line.slice(0, 20));
    log(`${line.slice(20)}\nbare words\n${JSON.stringify({ level: 'WARN', message: 'careful' })}\n`);
    expect(written).toBe(
      [
        '503 getPet · try_again · shop',
        '  try_again: busy',
        '    at a (lib/a.ts:1:2)',
        '  because of Error: why',
        'bare words',
        'WARN careful',
        '',
      ].join('\n'),
    );
  });
});
