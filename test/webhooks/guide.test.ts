import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, it } from 'vitest';
import { localSecret } from '../../cdk/local/events/aws-json-api.ts';
import { hasCommand } from '../support/has-command.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { spawnNode } from '../support/spawn-node.ts';
import { uniquePort } from '../support/unique-port.ts';

const root = join(import.meta.dirname, '../..');
const texts = readFileSync(join(root, 'cdk/openapi/guide.md'), 'utf8');
const guide = texts.slice(texts.indexOf('## Events and webhooks'));
const [, receiver = ''] = /```javascript\n(.*?)```/s.exec(guide)!;

const port = String(uniquePort());
const url = `http://127.0.0.1:${port}/hook`;
const env = { ...process.env, WEBHOOK_SECRET: localSecret };
const args = ['--input-type=module', '-e', receiver.replace('4000', port)];
const child = spawnNode(args, { cwd: root, env });
afterAll(() => void child.kill());
let output = '';
for (const stream of [child.stdout!, child.stderr!])
  stream.setEncoding('utf8').on('data', chunk => (output += chunk));
const printed = (part: string) => output.split('\n').filter(line => line.includes(part));

const webhooks = { one: { url, types: ['petstore.*'], secret: 'petstore/here', concurrency: 10 } };
const assembly = await synthesizeShared({ stage: 'local', settings: { webhooks } });
const petstore = usePetstore({ publishesEvents: true, assembly });

it.skipIf(!hasCommand('python3'))('the receiver in Python compiles', () => {
  const [, python = ''] = /```python\n(.*?)```/s.exec(guide) ?? [];
  expect(python).toContain('import');
  const compile = 'import ast, sys; ast.parse(sys.stdin.read())';
  execFileSync('python3', ['-c', compile], { input: python, stdio: 'pipe' });
});

describe('the receiver in the guide', () => {
  const eventOf = (id: string, write: number) => {
    const sequence = `0001-000000000000000${write}`;
    return { id, subject: 'pets/1', sequence, type: 'petstore.pet.updated', data: { id } };
  };
  type Sent = { secret?: string; age?: number; headers?: Record<string, string>; body?: string };
  const post = async (event: object, sent: Sent = {}): Promise<number> => {
    const { secret = localSecret, age = 0, headers, body = JSON.stringify(event) } = sent;
    const time = new Date(Date.now() - age);
    const signed = {
      'webhook-id': 'a',
      'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('a', time, JSON.stringify(event)),
    };
    const response = await fetch(url, { method: 'POST', body, headers: { ...signed, ...headers } });
    return response.status;
  };

  it('accepts what the store sends', async () => {
    const { body } = await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    const line = `petstore.category.created pets/categories/${body.id} ${JSON.stringify(body)}`;
    await expect.poll(() => printed(line).length).toBe(1);
  });

  it('drops duplicates and stale events, and responds to them with 204', async () => {
    expect(await post(eventOf('second', 2))).toBe(204);
    expect(await post(eventOf('second', 2))).toBe(204);
    expect(await post(eventOf('first', 1))).toBe(204);
    // Two events of one change have the same sequence, such as those of an order that is placed and completed at once.
    expect(await post(eventOf('alike', 2))).toBe(204);
    await expect.poll(() => printed('alike').length).toBe(1);
    expect([printed('second').length, printed('first').length]).toEqual([1, 0]);
  });

  it('accepts one valid signature of two, as during a rotation', async () => {
    const event = eventOf('rotated', 3);
    const valid = new Webhook(localSecret).sign('a', new Date(), JSON.stringify(event));
    const headers = { 'webhook-signature': `v1,${btoa('x'.repeat(32))} ${valid}` };
    expect(await post(event, { headers })).toBe(204);
  });

  it.each<[string, Sent]>([
    ['another secret', { secret: `whsec_${btoa('y'.repeat(32))}` }],
    ['another body', { body: '{"id":"forged"}' }],
    ['another id', { headers: { 'webhook-id': 'b' } }],
    ['an old timestamp', { age: 600_000 }],
    ['a timestamp of the future', { age: -600_000 }],
    ['no signature', { headers: { 'webhook-signature': '' } }],
    ['another version of the signature', { headers: { 'webhook-signature': 'v2,AAAA' } }],
    ['a timestamp that is no number', { headers: { 'webhook-timestamp': 'now' } }],
  ])('responds with 401 to %s', async (__, sent) => {
    expect(await post(eventOf('forged', 9), sent)).toBe(401);
    expect(printed('forged')).toEqual([]);
  });

  it('responds with 401 to a request without headers', async () => {
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  });
});
