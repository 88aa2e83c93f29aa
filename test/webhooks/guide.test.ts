import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { uniquePort } from '../support/unique-port.ts';

const guide = readFileSync(join(import.meta.dirname, '../../cdk/openapi/guide.md'), 'utf8');
const [, lines] = /```javascript\n(.*?)```/s.exec(guide)!;

const port = uniquePort();
const receiver: ChildProcess = spawn(
  process.execPath,
  ['--input-type=module', '-e', lines!.replace('4000', String(port))],
  { env: { ...process.env, WEBHOOK_SECRET: 'local' } },
);
let output = '';
receiver.stdout!.setEncoding('utf8').on('data', chunk => (output += chunk));
receiver.stderr!.setEncoding('utf8').on('data', chunk => (output += chunk));
afterAll(() => void receiver.kill());

const url = `http://127.0.0.1:${port}/hook`;
const assembly = await synthesizeShared({
  stage: 'local',
  settings: { webhooks: { here: { url, types: ['petstore.*'], secret: 'petstore/here', rate: 300 } } },
});
const petstore = usePetstore({ publishesEvents: true, assembly });

const post = async (event: object, secret?: string): Promise<number> => {
  const headers = secret === undefined ? undefined : { 'X-Webhook-Secret': secret };
  return (await fetch(url, { method: 'POST', body: JSON.stringify(event), ...(headers && { headers }) })).status;
};
const printed = (part: string) => output.split('\n').filter(line => line.includes(part));

describe('the receiver in the guide', () => {
  it('takes what the store sends', async () => {
    const { body } = await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    await expect
      .poll(() => output)
      .toContain(`petstore.category.created pets/categories/${body.id} ${JSON.stringify(body)}`);
  });

  const event = (id: string, sequence: string) => ({
    id,
    subject: 'pets/1',
    sequence,
    type: 'petstore.pet.updated',
    data: { id },
  });

  it('drops repeats, and what is older than what it has, and answers them like any other', async () => {
    expect(await post(event('second', '0001-0000000000000002'), 'local')).toBe(204);
    expect(await post(event('second', '0001-0000000000000002'), 'local')).toBe(204);
    expect(await post(event('first', '0001-0000000000000001'), 'local')).toBe(204);
    // One of the same change, such as an order that is placed and completed at once.
    expect(await post(event('alike', '0001-0000000000000002'), 'local')).toBe(204);
    await expect.poll(() => printed('alike').length).toBe(1);
    expect([printed('second').length, printed('first').length]).toEqual([1, 0]);
  });

  it.each([undefined, '', 'wrong', 'locaL', 'local and more'])('answers 401 to the secret %j', async secret => {
    expect(await post(event('forged', '0001-0000000000000009'), secret)).toBe(401);
    expect(printed('forged')).toEqual([]);
  });
});
