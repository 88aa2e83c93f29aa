import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toCloudEvent } from '../../lib/events/cloud-event.ts';
import { makeCertificate } from '../support/tls-proxy.ts';
import { isVerified, type Receiver, startReceiver, useReceivers } from './receiver.ts';
import { type Handler, receiveRecord, startFakeAws } from './sender.ts';

const trusted = makeCertificate();
setDefaultCACertificates([...getCACertificates('default'), readFileSync(trusted.certificate, 'utf8')]);

const receive = useReceivers();
const aws = await startFakeAws();
const receiver = await startReceiver(undefined, trusted);
afterAll(() => {
  aws.stop();
  receiver.stop();
});

const secretOf = (text: string) => `whsec_${btoa(text.padEnd(32, '.'))}`;
const [oldSecret, newSecret] = [secretOf('old'), secretOf('new')];
const hour = 3_600_000;
const day = 24 * hour;

Object.assign(process.env, {
  DEAD_LETTER_QUEUE_URL: `${aws.origin}/000000000000/DeadLetterQueue`,
  SECRETS_ENDPOINT: aws.origin,
  ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
});

/** A new cold start of the function with one webhook. */
const start = async (url: string): Promise<Handler> => {
  process.env.WEBHOOKS = JSON.stringify({ Queue: { name: 'accounting', url, secret: 'petstore/accounting' } });
  vi.resetModules();
  return (await import('../../functions/deliverWebhooks.ts')).handler;
};

const { now } = Date;
/** Sets the clock of function and queues forward, in milliseconds; `afterEach` restores it. */
const setClock = (ahead: number) => vi.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + ahead);

const event = toCloudEvent(
  { type: 'petstore.category.created', id: 7, data: { id: 7, name: 'Zoë 🐈', description: '' }, writeCount: 1 },
  { source: '/petstore/test', generation: 1 },
  new Date(0),
);

const lines: { level: string; message: Record<string, unknown> }[] = [];

beforeEach(() => {
  for (const level of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(message => void lines.push({ level, message }));
  aws.secrets.set('petstore/accounting AWSCURRENT', { value: newSecret });
});
afterEach(() => {
  vi.restoreAllMocks();
  aws.secrets.clear();
  aws.failing.clear();
  aws.calls.length = 0;
  lines.length = 0;
  receiver.requests.length = 0;
  receiver.respond = () => 204;
  for (const queue of [aws.queue, aws.deadLetterQueue])
    for (const message of messagesIn(queue)) queue.deleteMessage({ ReceiptHandle: message.MessageId });
});

interface Message {
  readonly MessageId: string;
  readonly Body: string;
  readonly MessageAttributes: Readonly<Record<string, { readonly StringValue: string }>>;
}
const messagesIn = (queue: typeof aws.queue): Message[] => {
  vi.spyOn(Date, 'now').mockReturnValue(Number.MAX_SAFE_INTEGER / 4);
  const { Messages } = queue.receiveMessage({ MaxNumberOfMessages: 10 }) as { Messages: Message[] };
  vi.mocked(Date.now).mockRestore();
  return Messages;
};
const deadLetteredMessages = () =>
  messagesIn(aws.deadLetterQueue).map(({ Body, MessageAttributes }) => ({
    body: Body,
    ...Object.fromEntries(Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue])),
  }));

const send = (body = JSON.stringify(event)) => aws.queue.sendMessage({ MessageBody: body });

/** One attempt: whether Lambda deletes the message, the log line, and for how long the message is hidden. */
const attempt = async (handler: Handler) => {
  const record = receiveRecord(aws);
  const { batchItemFailures } = await handler({ Records: [record] }, {});
  const { level, message } = lines.at(-1)!;
  const isDone = batchItemFailures.length === 0;
  if (!isDone) expect(batchItemFailures).toEqual([{ itemIdentifier: record.messageId }]);
  const hidden = aws.calls.findLast(({ operation }) => operation === 'ChangeMessageVisibility')?.input;
  if (hidden) expect(hidden.QueueUrl).toBe(`${aws.origin}/000000000000/Queue`);
  return { isDone, level, log: message, hiddenFor: hidden?.VisibilityTimeout as number | undefined };
};

const attemptTo = async (url: string) => {
  send();
  return attempt(await start(url));
};

const attemptWith = async (respond: Receiver['respond']) => {
  receiver.respond = respond;
  return attemptTo(receiver.url);
};

describe('a delivery', () => {
  it('is a signed POST of the message that the receiver’s library accepts', async () => {
    const { isDone, level, log } = await attemptTo(receiver.url);
    expect([isDone, level]).toEqual([true, 'info']);
    const [request] = receiver.requests;
    const body = JSON.stringify(event);
    expect(request).toMatchObject({ method: 'POST', body });
    expect(request!.headers).toEqual({
      ...{ host: new URL(receiver.url).host, connection: 'close', 'user-agent': 'petstore' },
      ...{
        'content-type': 'application/cloudevents+json; charset=UTF-8',
        'content-length': String(Buffer.byteLength(body)),
        'webhook-id': event.id,
        'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
        'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
      },
    });
    expect(isVerified(request!, newSecret)).toBe(true);
    expect(log).toEqual({
      ...{ webhook: 'accounting', eventId: event.id, type: event.type, attempt: 1, ageSeconds: expect.any(Number) },
      ...{ status: 204, outcome: 'delivered', durationMs: expect.any(Number), coldStart: true },
    });
    expect([log.ageSeconds, log.durationMs].every(Number.isInteger)).toBe(true);
  });

  it.each([
    ['body', { body: JSON.stringify({ ...event, id: 'x' }) }],
    ['id', { headers: { 'webhook-id': `${event.id}x` } }],
    ['timestamp', { headers: { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) + 60) } }],
    ['signature', { headers: { 'webhook-signature': `v1,${btoa('x'.repeat(32))}` } }],
  ])('is rejected by the receiver with another %s', async (_, changes) => {
    await attemptTo(receiver.url);
    expect(isVerified(receiver.requests[0]!, newSecret)).toBe(true);
    expect(isVerified(receiver.requests[0]!, newSecret, changes)).toBe(false);
    expect(isVerified(receiver.requests[0]!, oldSecret)).toBe(false);
  });

  it('has the time of the attempt, and the id of the event', async () => {
    receiver.respond = () => 500;
    send();
    const handler = await start(receiver.url);
    await attempt(handler);
    setClock(2 * hour);
    const { log } = await attempt(handler);
    const [first, second] = receiver.requests.map(({ headers }) => headers);
    expect(Number(second!['webhook-timestamp']) - Number(first!['webhook-timestamp'])).toBeGreaterThanOrEqual(7_200);
    expect(second!['webhook-id']).toBe(first!['webhook-id']);
    expect(log).toMatchObject({ attempt: 2, coldStart: false, ageSeconds: expect.any(Number) });
    expect(log.ageSeconds).toBeGreaterThanOrEqual(7_200);
  });

  it('logs neither body, URL nor secret', async () => {
    receiver.respond = () => 500;
    const url = `${receiver.url}?token=hunter2`;
    await attemptTo(url);
    aws.secrets.set('petstore/accounting AWSCURRENT', { value: 'hunter2' });
    await attemptTo(url);
    expect(lines.length).toBe(2);
    expect(JSON.stringify(lines)).not.toMatch(/hunter2|whsec_\w|Zoë|localhost|127\.0\.0\.1/);
  });
});

describe('a response', () => {
  it.each([200, 201, 202, 299])('with status %i is a success', async status => {
    expect(await attemptWith(() => status)).toMatchObject({ isDone: true, log: { status, outcome: 'delivered' } });
  });

  it.each([300, 304, 400, 401, 404, 408, 409, 422, 429, 500, 503, 599])('with status %i is retried', async status => {
    const { isDone, level, log, hiddenFor } = await attemptWith(() => status);
    expect([isDone, level]).toEqual([false, 'warn']);
    expect(log).toMatchObject({ status, outcome: 'retried', retryInSeconds: hiddenFor });
  });

  it('with a redirect is retried, and the redirect is not followed', async () => {
    const other = await receive(undefined, trusted);
    const moved = await attemptWith(() => ({ status: 301, headers: { Location: other.url } }));
    expect(moved).toMatchObject({ isDone: false, log: { status: 301, outcome: 'retried' } });
    expect(other.requests).toEqual([]);
  });

  it('with status 410 is final for the event, which is not dead-lettered', async () => {
    const { isDone, level, log } = await attemptWith(() => 410);
    expect([isDone, level, log.outcome]).toEqual([true, 'warn', 'gone']);
    expect(deadLetteredMessages()).toEqual([]);
  });

  it.each([
    ['1800', 1_800, 1_800],
    ['86400', 3_600, 3_600],
    [new Date(Date.now() + 0.5 * hour).toUTCString(), 1_700, 1_800],
    [new Date(Date.now() + day).toUTCString(), 3_600, 3_600],
    ['0', 1, 5],
    ['-1', 1, 5],
    ['soon', 1, 5],
    [new Date(0).toUTCString(), 1, 5],
  ])('with Retry-After: %s is retried after %i to %i seconds', async (value, least, most) => {
    const { hiddenFor } = await attemptWith(() => ({ status: 429, headers: { 'Retry-After': value } }));
    expect(hiddenFor).toBeGreaterThanOrEqual(least);
    expect(hiddenFor).toBeLessThanOrEqual(most);
  });

  it.each([200, 500])('with status %i and a body of 10 MB is not read to its end', async status => {
    let written = 0;
    const { log } = await attemptWith(() => response => {
      response.writeHead(status);
      const write = () => {
        while (written < 10_000_000 && !response.destroyed) {
          written += 10_000;
          if (!response.write('x'.repeat(10_000))) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    });
    expect(log).toMatchObject({ status, outcome: status === 200 ? 'delivered' : 'retried' });
    // The rest is what fits into the buffers of the connection.
    expect(written).toBeLessThan(5_000_000);
  });

  it.each([
    [16_000, false],
    [20_000, true],
  ])('with a body of %i bytes that does not end: the connection is closed: %s', async (size, isClosed) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    await attemptWith(() => response => {
      response.writeHead(200).write('x'.repeat(size));
      response.on('close', () => resolve(true));
      setTimeout(() => {
        resolve(false);
        response.end();
      }, 300);
    });
    expect(await promise).toBe(isClosed);
  });

  it('counts by its status when its body is incomplete', async () => {
    const broken: Receiver['respond'] = () => response => {
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('x', () => response.destroy());
    };
    expect(await attemptWith(broken)).toMatchObject({ isDone: true, log: { status: 200 } });
  });
});

describe('no response', () => {
  const { timeout } = AbortSignal;
  /** Ten times as fast: 15 seconds are 1.5 seconds. */
  const withFastTimeout = () =>
    vi
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation(time => timeout.call(AbortSignal, time === 15_000 ? 1_500 : time));

  const respondAfter =
    (milliseconds: number): Receiver['respond'] =>
    () =>
    response =>
      void setTimeout(() => response.writeHead(200).end(), milliseconds);

  it.each<[string, Receiver['respond']]>([
    ['a 200 after 16 seconds', respondAfter(1_600)],
    ['no response at all', () => 'never'],
  ])('within 15 seconds is retried: %s', async (_, respond) => {
    withFastTimeout();
    const { isDone, log } = await attemptWith(respond);
    expect([isDone, log.outcome, log.status, log.error]).toEqual([
      ...[false, 'retried', undefined, 'No response within 15 seconds.'],
    ]);
  });

  /** The status line, and then a byte of the body now and then. */
  const stallAfter =
    (status: number, headers = {}): Receiver['respond'] =>
    () =>
    response => {
      response.writeHead(status, headers);
      const dripping = setInterval(() => response.write('x'), 100);
      response.on('close', () => clearInterval(dripping));
    };

  it.each<[number, string, object]>([
    [200, 'delivered', {}],
    [410, 'gone', {}],
    [429, 'retried', { hiddenFor: 1_800 }],
  ])('after the status line does not change what status %i means', async (status, outcome, more) => {
    withFastTimeout();
    const attempted = await attemptWith(stallAfter(status, { 'Retry-After': '1800' }));
    expect(attempted).toMatchObject({ log: { status, outcome }, ...more });
    expect(attempted.log.error).toBeUndefined();
    expect(attempted.log.durationMs).toBeLessThan(5_000);
  });

  /** Writes to the connection now and then. */
  const drip =
    (first: string, then: string): Receiver['respond'] =>
    () =>
    ({ socket }) => {
      socket!.write(first);
      const dripping = setInterval(() => socket!.write(then), 100);
      socket!.on('close', () => clearInterval(dripping));
    };

  it('within a second is not an error', async () => {
    expect(await attemptWith(respondAfter(1_000))).toMatchObject({ isDone: true, log: { status: 200 } });
  });

  it('of a receiver with an untrusted certificate is retried', async () => {
    const untrusted = await receive(undefined, makeCertificate());
    const { isDone, log } = await attemptTo(untrusted.url);
    expect([isDone, log.outcome]).toEqual([false, 'retried']);
    expect(log.error).toMatch(/^DEPTH_ZERO_SELF_SIGNED_CERT: /);
    expect(untrusted.requests).toEqual([]);
  });

  it('of a receiver with a certificate for another name is retried', async () => {
    const other = makeCertificate('other.example.com');
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(other.certificate, 'utf8')]);
    const { isDone, log } = await attemptTo((await receive(undefined, other)).url);
    expect([isDone, log.outcome]).toEqual([false, 'retried']);
    expect(log.error).toMatch(/^ERR_TLS_CERT_ALTNAME_INVALID: /);
  });

  it('of a receiver without TLS is retried', async () => {
    const plain = await receive();
    const { isDone, log } = await attemptTo(plain.url.replace('http:', 'https:'));
    expect([isDone, log.outcome]).toEqual([false, 'retried']);
    expect(plain.requests).toEqual([]);
  });

  it('of a receiver whose name does not exist is retried', async () => {
    const { isDone, log } = await attemptTo('https://receiver.invalid/hook');
    expect([isDone, log.outcome]).toEqual([false, 'retried']);
    expect(log.error).toMatch(/^(ENOTFOUND|EAI_AGAIN): /);
  });

  it('of a receiver that refuses the connection is retried', async () => {
    const gone = await receive(undefined, trusted);
    gone.stop();
    const { isDone, log } = await attemptTo(gone.url);
    expect(isDone).toBe(false);
    expect(log.error).toMatch(/ECONNREFUSED/);
  });

  it.each<[string, Receiver['respond']]>([
    ['breaks the connection', () => response => response.destroy()],
    [
      'switches protocols',
      () => response =>
        void response.socket!.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
    ['responds with no HTTP', () => response => void response.socket!.end('SSH-2.0-OpenSSH\r\n')],
    [
      'sends a header of 100 KB',
      () => response => void response.socket!.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1e5)}`),
    ],
    ['never ends its headers', drip('HTTP/1.1 200 OK\r\n', 'X-Header: value\r\n')],
    ['sends interim responses only', drip('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('of a receiver that %s is retried', async (_, respond) => {
    withFastTimeout();
    const { isDone, log } = await attemptWith(respond);
    expect([isDone, log.outcome]).toEqual([false, 'retried']);
    expect(log.status ?? log.error).toBeDefined();
  });

  it.each([
    [{ code: 'EX', message: 'Zoë 🐈\n' }, 'EX: Zo? ???'],
    [{ message: 'no code' }, 'no code'],
    [{ code: 'EX', message: 'x'.repeat(400) }, `EX: ${'x'.repeat(296)}`],
  ])('has an error of at most 300 characters of printable ASCII: %#', async (error, expected) => {
    const { post } = await import('../../lib/webhooks/post.ts');
    vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket) {
      Object.assign(this, { connecting: true });
      setImmediate(() => this.destroy(Object.assign(new Error(), error)));
      return this;
    });
    expect(await post('http://127.0.0.1/', {}, '')).toEqual({ error: expected });
  });

  it('of AWS is not awaited for more than 3 seconds', async () => {
    const timeouts = vi.spyOn(AbortSignal, 'timeout');
    await attemptWith(() => 500);
    // Secrets Manager, the receiver, SQS.
    expect(timeouts.mock.calls.flat()).toEqual([3_000, 15_000, 3_000]);
  });

  it('closes the connection', async () => {
    await attemptWith(() => ({ status: 200, headers: { Connection: 'keep-alive' } }));
    expect(receiver.requests[0]!.headers.connection).toBe('close');
  });
});

describe('a retry', () => {
  it('has an exponential backoff with full jitter, up to an hour', async () => {
    const handler = await start(receiver.url);
    receiver.respond = () => 500;
    send();
    const delays: number[] = [];
    for (const random of [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.5, 0]) {
      vi.spyOn(Math, 'random').mockReturnValue(random);
      // The queue's clock passes each visibility timeout.
      setClock(delays.reduce((sum, delay) => sum + delay, 0) * 1000);
      delays.push((await attempt(handler)).hiddenFor!);
    }
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600, 1_800, 1]);
  });

  it('is left to the visibility timeout of the queue when SQS does not respond', async () => {
    aws.failing.add('ChangeMessageVisibility');
    const { isDone, level, log } = await attemptWith(() => 500);
    expect([isDone, level]).toEqual([false, 'error']);
    expect(log).toMatchObject({ attempt: 1, messageId: expect.any(String), queue: expect.stringContaining(':Queue') });
  });

  it('follows when no webhook has the queue', async () => {
    send();
    const record = receiveRecord(aws, 'Another');
    const handler = await start(receiver.url);
    const { batchItemFailures } = await handler({ Records: [record] }, {});
    expect(batchItemFailures).toEqual([{ itemIdentifier: record.messageId }]);
    expect(lines[0]).toMatchObject({ level: 'error', message: { error: expect.stringContaining('no webhook') } });
  });
});

describe('an event after 24 hours of attempts', () => {
  it('is dead-lettered with its last status, and then deleted', async () => {
    receiver.respond = () => 503;
    send();
    const handler = await start(receiver.url);
    setClock(day - 5_000);
    expect((await attempt(handler)).isDone).toBe(false);
    setClock(day + hour);
    const { isDone, level, log } = await attempt(handler);
    expect([isDone, level]).toEqual([true, 'error']);
    expect(log).toMatchObject({ outcome: 'deadLettered', status: 503, attempt: 2 });
    expect(deadLetteredMessages()).toEqual([
      {
        body: JSON.stringify(event),
        ...{ webhook: 'accounting', queue: 'arn:aws:sqs:us-east-1:000000000000:Queue', status: '503', attempts: '2' },
      },
    ]);
  });

  it('is dead-lettered with its last error', async () => {
    send();
    setClock(day);
    const untrusted = await receive(undefined, makeCertificate());
    await attempt(await start(untrusted.url));
    expect(deadLetteredMessages()).toMatchObject([{ error: expect.stringMatching(/^DEPTH_ZERO_SELF_SIGNED_CERT/) }]);
  });

  it('is delivered by the last attempt', async () => {
    send();
    setClock(10 * day);
    const { isDone, log } = await attempt(await start(receiver.url));
    expect([isDone, log.outcome]).toEqual([true, 'delivered']);
    expect(deadLetteredMessages()).toEqual([]);
  });

  it('stays in its queue when the dead-letter queue does not accept it', async () => {
    aws.failing.add('SendMessage');
    receiver.respond = () => 500;
    send();
    setClock(day);
    const { isDone, level } = await attempt(await start(receiver.url));
    expect([isDone, level]).toEqual([false, 'error']);
    aws.failing.clear();
    expect([deadLetteredMessages().length, messagesIn(aws.queue).length]).toEqual([0, 1]);
  });

  it('is attempted again when the function ends after dead-lettering it, before Lambda deletes the message', async () => {
    receiver.respond = () => 500;
    send();
    const handler = await start(receiver.url);
    setClock(day);
    expect((await attempt(handler)).isDone).toBe(true);
    receiver.respond = () => 204;
    setClock(day + hour);
    expect((await attempt(handler)).log).toMatchObject({ outcome: 'delivered', attempt: 2 });
    expect(deadLetteredMessages()).toMatchObject([{ body: JSON.stringify(event) }]);
  });

  it('has another 24 hours when it is redriven', async () => {
    receiver.respond = () => 500;
    setClock(day);
    // Sent a day after the event.
    send();
    const { isDone, log } = await attempt(await start(receiver.url));
    expect(isDone).toBe(false);
    expect(log.ageSeconds).toBeLessThan(3_600);
  });

  it.each([
    ['characters of one byte', 'x'.repeat(1_048_000)],
    ['characters of two bytes', 'é'.repeat(524_000)],
  ])('is dead-lettered without its data when it leaves no room for the attributes: %s', async (_, data) => {
    const large = { ...event, data };
    receiver.respond = () => 500;
    send(JSON.stringify(large));
    setClock(day);
    expect((await attempt(await start(receiver.url))).isDone).toBe(true);
    const [message] = deadLetteredMessages();
    expect(JSON.parse(message!.body)).toEqual({ ...event, data: undefined });
  });

  it.each([
    [0, true],
    [1, false],
  ])(
    'leaves 2 KB of a message of 1 MB to the attributes: with %i bytes more, it is whole: %s',
    async (more, isWhole) => {
      const whole = JSON.stringify({ ...event, data: '' });
      const data = 'x'.repeat(1_048_576 - 2_048 - Buffer.byteLength(whole) + more);
      receiver.respond = () => 500;
      send(JSON.stringify({ ...event, data }));
      setClock(day);
      await attempt(await start(receiver.url));
      expect('data' in JSON.parse(deadLetteredMessages()[0]!.body)).toBe(isWhole);
    },
  );

  it('is cut when it leaves no room for the attributes without its data either', async () => {
    receiver.respond = () => 500;
    send(JSON.stringify({ ...event, data: 'x', more: 'x'.repeat(1_048_000) }));
    setClock(day);
    expect((await attempt(await start(receiver.url))).log.outcome).toBe('deadLettered');
    expect(deadLetteredMessages()).toMatchObject([
      { status: '500', body: expect.stringMatching(/^\{"specversion".*xxx$/) },
    ]);
  });
});

describe('a message that is not an event', () => {
  it.each([
    ['text', 'é'.repeat(524_000)],
    ['JSON', JSON.stringify({ ...event, id: 'a b', data: 'x'.repeat(1_048_000) })],
  ])('is cut when it leaves no room for the attributes: %s', async (_, body) => {
    send(body);
    const { isDone, log } = await attempt(await start(receiver.url));
    expect([isDone, log.outcome]).toEqual([true, 'deadLettered']);
    const [message] = deadLetteredMessages();
    expect(message).toMatchObject({ webhook: 'accounting', error: 'The message is not an event.' });
    expect(message!.body.length).toBeGreaterThan(body.length - 5_000);
    expect(body.startsWith(message!.body.slice(0, -1))).toBe(true);
  });

  it.each(['text', '{}', '{"id":7}', '{"id":"a b"}', '{"id":"a.b"}', '{"id":"Zoë"}', 'null'])(
    'is dead-lettered at once: %s',
    async body => {
      send(body);
      const { isDone, log } = await attempt(await start(receiver.url));
      expect([isDone, log.outcome]).toEqual([true, 'deadLettered']);
      expect(deadLetteredMessages()).toMatchObject([{ body, error: 'The message is not an event.' }]);
      expect(receiver.requests).toEqual([]);
    },
  );
});

describe('a secret', () => {
  const version = (stage: 'AWSCURRENT' | 'AWSPREVIOUS', value: Parameters<typeof aws.secrets.set>[1]) =>
    aws.secrets.set(`petstore/accounting ${stage}`, value);
  const secretCalls = () => aws.calls.filter(({ operation }) => operation === 'GetSecretValue').length;
  const deliverWith = async (handler: Handler) => {
    send();
    expect((await attempt(handler)).log).toMatchObject({ outcome: 'delivered' });
    return receiver.requests.at(-1)!;
  };

  it('that was rotated signs together with the previous one for 24 hours', async () => {
    version('AWSCURRENT', { value: newSecret, createdAt: Date.now() });
    version('AWSPREVIOUS', { value: oldSecret });
    const handler = await start(receiver.url);
    const request = await deliverWith(handler);
    expect(request.headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    expect([isVerified(request, newSecret), isVerified(request, oldSecret)]).toEqual([true, true]);
    setClock(day + hour);
    const later = await deliverWith(handler);
    expect([isVerified(later, newSecret), isVerified(later, oldSecret)]).toEqual([true, false]);
  });

  it('is used alone as soon as the previous secret expires, also while it is cached', async () => {
    version('AWSCURRENT', { value: newSecret, createdAt: Date.now() - day + 60_000 });
    version('AWSPREVIOUS', { value: oldSecret });
    const handler = await start(receiver.url);
    expect(isVerified(await deliverWith(handler), oldSecret)).toBe(true);
    setClock(90_000);
    expect(isVerified(await deliverWith(handler), oldSecret)).toBe(false);
    expect(secretCalls()).toBe(2);
  });

  it('that is rotated is used after five minutes, without a deployment', async () => {
    version('AWSCURRENT', { value: oldSecret });
    const handler = await start(receiver.url);
    await deliverWith(handler);
    version('AWSCURRENT', { value: newSecret, createdAt: Date.now() });
    version('AWSPREVIOUS', { value: oldSecret });
    setClock(4 * 60_000);
    expect(isVerified(await deliverWith(handler), newSecret)).toBe(false);
    expect(secretCalls()).toBe(1);
    setClock(5 * 60_000 + 1_000);
    const request = await deliverWith(handler);
    expect([isVerified(request, newSecret), isVerified(request, oldSecret)]).toEqual([true, true]);
    expect(secretCalls()).toBe(3);
  });

  it.each([
    ['is not there', undefined],
    ['is malformed', { value: 'hunter2' }],
  ])('signs when the previous one %s', async (_, previous) => {
    version('AWSCURRENT', { value: newSecret, createdAt: Date.now() });
    if (previous) version('AWSPREVIOUS', previous);
    expect(isVerified(await deliverWith(await start(receiver.url)), newSecret)).toBe(true);
  });

  const malformed = 'The secret petstore/accounting is not "whsec_" and the base64 of 24 to 64 bytes.';
  it.each([
    ['missing', undefined, 'The secret petstore/accounting does not exist in Secrets Manager, or has no value.'],
    [
      'about to be deleted',
      { error: 'InvalidRequestException' },
      'The secret petstore/accounting cannot be read: InvalidRequestException: injected',
    ],
    ['binary', {}, malformed],
    ['without prefix', { value: newSecret.slice(6) }, malformed],
    ['too short', { value: `whsec_${btoa('x'.repeat(23))}` }, malformed],
    ['too long', { value: `whsec_${btoa('x'.repeat(65))}` }, malformed],
    ['not base64', { value: `${newSecret.slice(0, -2)}!!` }, malformed],
    ['followed by a line break', { value: `${newSecret}\n` }, malformed],
  ])('that is %s fails the attempt, which is retried', async (_, value, error) => {
    aws.secrets.clear();
    if (value) version('AWSCURRENT', value);
    const handler = await start(receiver.url);
    send();
    const { isDone, level, log } = await attempt(handler);
    expect([isDone, level, log.outcome, log.error]).toEqual([false, 'warn', 'retried', error]);
    expect(receiver.requests).toEqual([]);
    version('AWSCURRENT', { value: newSecret });
    setClock(60_000);
    expect((await attempt(handler)).log).toMatchObject({ outcome: 'delivered', attempt: 2 });
  });

  it.each([
    ['missing', undefined],
    ['malformed', { value: 'hunter2' }],
  ])('that is %s is read again after 30 seconds, and not before', async (_, value) => {
    aws.secrets.clear();
    if (value) version('AWSCURRENT', value);
    const handler = await start(receiver.url);
    const failure = async (time: number) => {
      setClock(time);
      send();
      const { log } = await attempt(handler);
      return [log.outcome, log.error];
    };
    const [first, second] = [await failure(0), await failure(29_000)];
    expect([first[0], second]).toEqual(['retried', first]);
    expect(secretCalls()).toBe(1);
    version('AWSCURRENT', { value: newSecret });
    setClock(31_000);
    await deliverWith(handler);
    expect(secretCalls()).toBe(2);
  });

  it('with a long name fails the attempt with an error of at most 300 characters', async () => {
    send();
    const long = { name: 'accounting', url: receiver.url, secret: 's'.repeat(400) };
    process.env.WEBHOOKS = JSON.stringify({ Queue: long });
    vi.resetModules();
    const { handler } = await import('../../functions/deliverWebhooks.ts');
    expect((await attempt(handler)).log.error).toHaveLength(300);
  });

  it('that cannot be read while Secrets Manager is down fails the attempt, which is retried', async () => {
    aws.failing.add('GetSecretValue');
    const { isDone, log } = await attemptTo(receiver.url);
    expect([isDone, log.outcome]).toEqual([false, 'retried']);
    expect(log.error).toContain('The secret petstore/accounting cannot be read');
  });
});
