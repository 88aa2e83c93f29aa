import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ReceivedMessage } from '../../cdk/local/events/sqs-queue.ts';
import document from '../../cdk/openapi/openapi.json' with { type: 'json' };
import type { Delivery } from '../../lib/webhooks/deliver.ts';
import { retryDelay } from '../../lib/webhooks/retry-delay.ts';
import { brokenResponses } from '../support/broken-responses.ts';
import { retryAfterCases, timeOfCases } from '../support/retry-after-cases.ts';
import { makeCertificate } from '../support/tls-proxy.ts';
import { isVerified, type Receiver, useReceivers } from './receiver.ts';
import {
  type FakeAws,
  type Handler,
  receiveRecord,
  type SecretVersion,
  startFakeAws,
} from './sender.ts';

const trusted = makeCertificate();
const trust = ({ certificate }: typeof trusted) =>
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(certificate, 'utf8')]);
trust(trusted);

const receive = useReceivers();
let aws: FakeAws;
let receiver: Receiver;

const secretOf = (text: string) => `whsec_${btoa(text.padEnd(32, '.'))}`;
const [oldSecret, newSecret] = [secretOf('old'), secretOf('new')];
const hour = 3_600_000;
const day = 24 * hour;

/** As in a cold start, with one webhook. */
const start = async (url = receiver.url, secret = 'petstore/accounting'): Promise<Handler> => {
  vi.stubEnv('WEBHOOKS', JSON.stringify({ Queue: { name: 'accounting', url, secret } }));
  vi.resetModules();
  return (await import('../../functions/deliverWebhooks.ts')).handler as Handler;
};

/** Until the spy is restored, `expire` ends the timeouts of `AbortSignal.timeout`. */
const holdSignals = () => {
  const held: AbortController[] = [];
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    held.push(new AbortController());
    return held.at(-1)!.signal;
  });
  const expire = () => {
    for (const controller of held.splice(0))
      controller.abort(new DOMException('It took too long.', 'TimeoutError'));
  };
  return { spy, expire };
};

/** The timeouts of the current test. `afterEach` restores clock and timeouts. */
let timeouts: ReturnType<typeof holdSignals>;

const { now } = Date;
const setClock = (ahead: number) =>
  vi.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + ahead);

const event = {
  specversion: '1.0',
  id: 'pets/categories/7/0001-0000000000000001/created',
  type: 'petstore.category.created',
  data: { id: 7, name: 'Zoë 🐈', description: '' },
};

const lines: { level: string; message: Record<string, unknown> }[] = [];

beforeEach(async () => {
  timeouts = holdSignals();
  aws = await startFakeAws();
  receiver = await receive(undefined, trusted);
  const environment = {
    DEAD_LETTER_QUEUE_URL: `${aws.url}/000000000000/DeadLetterQueue`,
    SECRETS_ENDPOINT: aws.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  aws.secrets.set('petstore/accounting AWSCURRENT', { value: newSecret });
  lines.length = 0;
  for (const level of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(message => void lines.push({ level, message }));
});
afterEach(() => {
  vi.restoreAllMocks();
  aws.stop();
});

const deadLetteredMessages = () => {
  const { Messages } = aws.deadLetterQueue.receiveMessage({}) as { Messages: ReceivedMessage[] };
  return Messages.map(({ Body, MessageAttributes = {} }) => {
    const values = Object.entries(MessageAttributes).map(([name, { DataType, StringValue }]) => [
      name,
      DataType === 'String' && StringValue,
    ]);
    return { body: Body, ...Object.fromEntries(values) } as {
      readonly body: string;
      readonly status?: string;
    };
  });
};

const callsOf = (operation: string) => aws.calls.filter(call => call.operation === operation);

const send = (body = JSON.stringify(event)) => aws.queue.sendMessage({ MessageBody: body });

/** Whether Lambda deletes the message, the fields of the log line, and how long the message is hidden. */
const attempt = async (handler: Handler) => {
  const record = receiveRecord(aws);
  const { batchItemFailures } = await handler({ Records: [record] }, {});
  const isDone = batchItemFailures.length === 0;
  if (!isDone) expect(batchItemFailures).toEqual([{ itemIdentifier: record.messageId }]);
  const hidden = callsOf('ChangeMessageVisibility').at(-1)?.body;
  if (hidden) expect(hidden.QueueUrl).toBe(`${aws.url}/000000000000/Queue`);
  const { level, message } = lines.at(-1)!;
  const fields = message as object as Delivery;
  return { isDone, level, hiddenFor: hidden?.VisibilityTimeout, ...fields };
};

const attemptTo = async (url?: string, body?: string) => {
  send(body);
  return attempt(await start(url));
};

const attemptWith = (respond: Receiver['respond'], body?: string) => {
  receiver.respond = respond;
  return attemptTo(undefined, body);
};

describe('a delivery', () => {
  it('is a signed POST of the message that the receiver’s library accepts', async () => {
    expect(await attemptTo()).toMatchObject({ isDone: true, level: 'info' });
    const [request] = receiver.requests;
    const body = JSON.stringify(event);
    expect(request).toMatchObject({ method: 'POST', body });
    const own = {
      'webhook-id': event.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
    };
    expect(request!.headers).toEqual({
      ...own,
      host: new URL(receiver.url).host,
      connection: 'close',
      'user-agent': 'petstore',
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
    });
    const [documented] = Object.values(document['x-webhooks']);
    const names = documented!.post.parameters.map(({ name }) => name);
    expect(names, 'cdk/openapi/webhooks.ts').toEqual(Object.keys(own));
    expect(isVerified(request!, newSecret)).toBe(true);
    expect(isVerified(request!, oldSecret)).toBe(false);
    const [{ message }] = lines as [(typeof lines)[0]];
    expect(message).toEqual({
      webhook: 'accounting',
      eventId: event.id,
      type: event.type,
      attempt: 1,
      ageSeconds: expect.any(Number),
      status: 204,
      outcome: 'delivered',
      durationMs: expect.any(Number),
      coldStart: true,
    });
    expect(Number.isInteger(message.ageSeconds)).toBe(true);
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
  it.each([
    [299, 'info', 'delivered'],
    [300, 'warn', 'retried'],
    [410, 'warn', 'gone'],
  ])(
    'with status %i has a log line of level %s and the outcome %s',
    async (status, level, outcome) => {
      const { retryInSeconds, hiddenFor, ...rest } = await attemptWith(() => status);
      expect(rest).toMatchObject({ isDone: outcome !== 'retried', level, status, outcome });
      expect([retryInSeconds === hiddenFor, deadLetteredMessages()]).toEqual([true, []]);
    },
  );

  it('with a redirect is retried, and the redirect is not followed', async () => {
    const other = await receive(undefined, trusted);
    const moved = await attemptWith(() => ({ status: 301, headers: { Location: other.url } }));
    expect(moved).toMatchObject({ isDone: false, status: 301, outcome: 'retried' });
    expect(other.requests).toEqual([]);
  });

  it.each([
    [16_000, false],
    [20_000, true],
  ])(
    'with a body of %i bytes that does not end: the connection is closed: %s',
    async (size, isClosed) => {
      const events: string[] = [];
      await attemptWith(() => response => {
        response.writeHead(200).write('x'.repeat(size));
        response.on('close', () => events.push('closed'));
        if (!isClosed) setTimeout(() => response.end(() => events.push('ended')), 300);
      });
      await expect.poll(() => events[0]).toBe(isClosed ? 'closed' : 'ended');
    },
  );
});

describe('no response', () => {
  /** Writes `first` to the connection, then `then` every 100 ms. The timeout ends after three of them, unless the test ends it. */
  const drip =
    (first: string, then: string, expires = true) =>
    () =>
    (response: ServerResponse) => {
      response.socket!.write(first);
      let left = 3;
      const dripping = setInterval(() => {
        response.socket?.write(then);
        if (expires && left-- === 0) timeouts.expire();
      }, 100);
      response.on('close', () => clearInterval(dripping));
    };

  it('after the status line does not change what the status means', async () => {
    const received = ({ response }: { response: IncomingMessage }) => {
      if (response.statusCode === 429) timeouts.expire();
    };
    subscribe('http.client.response.finish', received as never);
    onTestFinished(() => void unsubscribe('http.client.response.finish', received as never));
    const attempted = await attemptWith(() => response => {
      response.writeHead(429, { 'Retry-After': '1800' }).flushHeaders();
      drip('', '1\r\nx\r\n', false)()(response);
    });
    expect(attempted).toMatchObject({ status: 429, outcome: 'retried', hiddenFor: 1_800 });
    expect(attempted.error).toBeUndefined();
  });

  it.each(Object.entries(brokenResponses))(
    '%s is retried, unless the status has arrived',
    async (what, breaks) => {
      const [outcome, status, error] = what.startsWith('an end in the body')
        ? ['delivered', 200]
        : ['retried', undefined, expect.any(String)];
      const attempted = await attemptWith(() => breaks);
      expect(attempted.isDone).toBe(outcome === 'delivered');
      expect([attempted.outcome, attempted.status, attempted.error]).toEqual([
        outcome,
        status,
        error,
      ]);
    },
  );

  it.each<[string, () => Promise<{ url: string }>, RegExp]>([
    [
      'an untrusted certificate',
      () => receive(undefined, makeCertificate()),
      /^DEPTH_ZERO_SELF_SIGNED_CERT: /,
    ],
    [
      'a certificate for another name',
      () => {
        const other = makeCertificate('other.example.com');
        trust(other);
        return receive(undefined, other);
      },
      /^ERR_TLS_CERT_ALTNAME_INVALID: /,
    ],
    ['a closed port', async () => ({ url: 'https://localhost:1/hook' }), /ECONNREFUSED/],
  ])('of a receiver with %s is retried, and nothing is sent to it', async (_, find, pattern) => {
    const found = (await find()) as { url: string; requests?: unknown[] };
    const error = expect.stringMatching(pattern);
    expect(await attemptTo(found.url)).toMatchObject({ isDone: false, outcome: 'retried', error });
    expect(found.requests ?? []).toEqual([]);
  });

  it.each<[string, Receiver['respond']]>([
    ['does not respond', () => timeouts.expire],
    ['never ends its headers', drip('HTTP/1.1 200 OK\r\n', 'X-Header: value\r\n')],
    ['sends interim responses only', drip('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('of a receiver that %s is retried', async (_, respond) => {
    const error = 'No response within 15 seconds.';
    expect(await attemptWith(respond)).toMatchObject({ isDone: false, outcome: 'retried', error });
  });

  it.each([
    [{ code: 'EX', message: 'Zoë 🐈\n' }, 'EX: Zo? ???'],
    [{ message: 'no code' }, 'no code'],
    [
      { code: 'EX', errors: [new Error('address 1'), new Error('address 2')] },
      'EX: address 1: address 2',
    ],
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
    await attemptWith(() => 500);
    // Of the calls to Secrets Manager, the receiver and SQS.
    expect(timeouts.spy.mock.calls.flat()).toEqual([3_000, 15_000, 3_000]);
  });
});

describe('a connection to AWS', () => {
  /** An attempt keeps a connection to AWS. */
  const startWarm = async () => {
    receiver.respond = () => 500;
    send();
    const handler = await start();
    await attempt(handler);
    return handler;
  };

  /** A call that stalls times out. */
  const breakAll = (operation: string, how: 'resetBefore' | 'stallBefore') => {
    aws.faultFor = called => {
      if (called !== operation) return undefined;
      if (how === 'stallBefore') timeouts.expire();
      return how;
    };
  };

  const operations: [string, minutes: number, outcome: string][] = [
    ['GetSecretValue', 6, 'retried'],
    ['ChangeMessageVisibility', 1, 'retried'],
    ['SendMessage', 24 * 60, 'deadLettered'],
  ];
  const each = operations.flatMap(row =>
    (['resetBefore', 'cutBefore', 'cutAfter'] as const).map(how => [how, ...row] as const),
  );
  it.each(each)(
    'that was idle breaks (%s) in %s: the call is repeated',
    async (how, operation, minutes, outcome) => {
      const handler = await startWarm();
      const before = callsOf(operation).length;
      aws.faultFor = (called, isKept) => (called === operation && isKept ? how : undefined);
      setClock(minutes * 60_000);
      const second = await attempt(handler);
      expect(second).toMatchObject({ outcome, status: 500, attempt: 2 });
      if (outcome === 'retried') expect(second.hiddenFor).toBe(second.retryInSeconds);
      // If only the response was lost, a dead-lettered message can be there twice.
      const deadLettered = [...deadLetteredMessages(), ...deadLetteredMessages()];
      expect(deadLettered.length).toBe(outcome === 'retried' ? 0 : how === 'cutAfter' ? 2 : 1);
      expect([callsOf(operation).length - before, receiver.requests.length]).toEqual([2, 2]);
    },
  );

  it.each([
    ['breaks twice', 'resetBefore', 2, 'TimeoutError: .*ECONNRESET'],
    ['times out', 'stallBefore', 1, 'AbortError: '],
  ] as const)(
    '%s while a secret is read: the error is not cached, and does not name the secret',
    async (...row) => {
      const [, how, attempts, error] = row;
      breakAll('GetSecretValue', how);
      send();
      const handler = await start();
      expect(await attempt(handler)).toMatchObject({
        outcome: 'retried',
        error: expect.stringMatching(`^Secrets Manager did not respond: ${error}`),
      });
      expect([callsOf('GetSecretValue').length, receiver.requests.length]).toEqual([attempts, 0]);
      aws.faultFor = () => undefined;
      setClock(10_000);
      expect(await attempt(handler)).toMatchObject({ outcome: 'delivered', attempt: 2 });
    },
  );

  it.each(['ChangeMessageVisibility', 'SendMessage'])(
    'times out in %s: the call is not repeated',
    async operation => {
      const handler = await startWarm();
      const before = callsOf(operation).length;
      breakAll(operation, 'stallBefore');
      setClock(operation === 'SendMessage' ? day : 60_000);
      // So the message stays in its queue, until its visibility timeout ends.
      const ids = { messageId: expect.any(String), queue: expect.stringContaining(':Queue') };
      const expected = { isDone: false, level: 'error', attempt: 2, ...ids };
      expect(await attempt(handler)).toMatchObject(expected);
      expect(callsOf(operation).length - before).toBe(1);
    },
  );
});

describe('a retry', () => {
  it.each<[attempt: number, random: number, retryAfter: string | undefined, seconds: number]>([
    [1, 1, undefined, 5],
    [10, 1, undefined, 2_560],
    [11, 1, undefined, 3_600],
    [60, 0.5, undefined, 1_800],
    [60, 0, undefined, 1],
    [5, 1, '10', 80],
  ])(
    'after attempt %i, with the random number %d and Retry-After: %s, follows after %i seconds',
    (...row) => {
      const [made, random, retryAfter, seconds] = row;
      expect(retryDelay(made, retryAfter, random, timeOfCases)).toBe(seconds);
    },
  );

  it.each(retryAfterCases)('waits after Retry-After: %s for %s s', (value, seconds = 0) => {
    expect(retryDelay(1, value, 0, timeOfCases)).toBe(Math.max(seconds, 1));
  });

  it('follows when no webhook has the queue', async () => {
    send();
    const record = receiveRecord(aws, 'Another');
    const handler = await start();
    const { batchItemFailures } = await handler({ Records: [record] }, {});
    expect(batchItemFailures).toEqual([{ itemIdentifier: record.messageId }]);
    const error = expect.stringContaining('no webhook');
    expect(lines[0]).toMatchObject({ level: 'error', message: { error } });
  });
});

describe('an event after 24 hours of attempts', () => {
  it('is dead-lettered with its last status, and delivered if the function ended before Lambda deleted it', async () => {
    receiver.respond = () => 503;
    send();
    const handler = await start();
    setClock(day - 5_000);
    expect((await attempt(handler)).isDone).toBe(false);
    setClock(day + hour);
    const expected = { isDone: true, level: 'error', outcome: 'deadLettered', status: 503 };
    expect(await attempt(handler)).toMatchObject({ ...expected, attempt: 2, coldStart: false });
    const queue = 'arn:aws:sqs:us-east-1:000000000000:Queue';
    const body = JSON.stringify(event);
    expect(deadLetteredMessages()).toEqual([
      { body, webhook: 'accounting', queue, status: '503', attempts: '2' },
    ]);
    receiver.respond = () => 204;
    setClock(day + 2 * hour);
    expect(await attempt(handler)).toMatchObject({ outcome: 'delivered', attempt: 3 });
    // The library rejects the time of an earlier attempt.
    expect(isVerified(receiver.requests.at(-1)!, newSecret)).toBe(true);
  });

  const withData = (data: string, more: object = {}) => JSON.stringify({ ...event, data, ...more });
  /** What fits into a message of 1 MB, with the rest of the event and 2 KB for the attributes, in bytes. */
  const room = 1_048_576 - 2_048 - Buffer.byteLength(withData(''));
  const withoutData = JSON.stringify({ ...event, data: undefined });
  const full = withData('x'.repeat(room));
  const endless = withData('x', { more: 'x'.repeat(1_048_000) });
  it.each<[string, string, string | RegExp]>([
    ['whole when it leaves 2 KB of a message to the attributes', full, full],
    ['without its data when it has one byte more', withData('x'.repeat(room + 1)), withoutData],
    ['without its data when characters have two bytes', withData('é'.repeat(524_000)), withoutData],
    ['cut when it is too large without its data', endless, /^\{"specversion".*xxx$/],
  ])('is dead-lettered %s', async (_, body, expected) => {
    receiver.respond = () => 500;
    send(body);
    setClock(day);
    expect((await attempt(await start())).outcome).toBe('deadLettered');
    const [message] = deadLetteredMessages();
    expect(message!.status).toBe('500');
    // The message of `toBe` would contain a megabyte.
    expect(
      typeof expected === 'string' ? message!.body === expected : expected.test(message!.body),
    ).toBe(true);
  });
});

describe('a message that is not an event', () => {
  const tooLong = [
    `${'é'.repeat(524_000)}`,
    JSON.stringify({ ...event, id: 'a b', data: 'x'.repeat(1_048_000) }),
  ];
  it.each([
    'text',
    '{}',
    '{"id":7}',
    '{"id":"a b"}',
    '{"id":"a.b"}',
    '{"id":"Zoë"}',
    'null',
    ...tooLong,
  ])('is dead-lettered at once, cut if it leaves no room for the attributes: %#', async body => {
    expect(await attemptTo(undefined, body)).toMatchObject({ outcome: 'deadLettered' });
    const [message] = deadLetteredMessages();
    expect(message).toMatchObject({ webhook: 'accounting', error: 'The message is not an event.' });
    expect(message).not.toHaveProperty('status');
    // If the text is cut within a character, another replaces the rest, so the last one is not compared.
    expect(body.startsWith(message!.body.slice(0, -1))).toBe(true);
    expect(body.length - message!.body.length).toBeLessThan(body.length > 1_000 ? 5_000 : 1);
    expect(receiver.requests).toEqual([]);
  });
});

describe('a secret', () => {
  const set = (stage: 'AWSCURRENT' | 'AWSPREVIOUS', value: SecretVersion) =>
    aws.secrets.set(`petstore/accounting ${stage}`, value);
  const rotate = (previous?: SecretVersion, ago = 0) => {
    set('AWSCURRENT', { value: newSecret, createdAt: Date.now() - ago });
    if (previous) set('AWSPREVIOUS', previous);
  };
  const old = { value: oldSecret };
  const nothing = () => undefined;

  /** At `at` (ms), `change` happens. Then these secrets verify a delivery, after this number of secret calls. */
  type Step = readonly [at: number, change: () => void, verifiedBy: string, calls: number];
  it.each<[string, ...Step[]]>([
    [
      'signs with the previous one for 24 hours, although it is cached for longer',
      [0, () => rotate(old, day - 60_000), 'new old', 2],
      [90_000, nothing, 'new', 2],
    ],
    [
      'that is rotated is used after five minutes, without a deployment',
      [0, () => set('AWSCURRENT', old), 'old', 1],
      [4 * 60_000, () => rotate(old), 'old', 1],
      [5 * 60_000 + 1_000, nothing, 'new old', 3],
    ],
    ['signs when the previous one is malformed', [0, () => rotate({ value: 'hunter2' }), 'new', 2]],
    [
      'that is missing is read again after 30 seconds, and then needs no previous one',
      [0, () => aws.secrets.clear(), '', 1],
      [29_999, rotate, '', 1],
      [30_000, nothing, 'new', 3],
    ],
  ])('%s', async (_, ...steps) => {
    const handler = await start();
    const started = Date.now();
    const clock = vi.spyOn(Date, 'now');
    for (const [at, change, verifiedBy, calls] of steps) {
      clock.mockReturnValue(started + at);
      change();
      receiver.requests.length = 0;
      send();
      await attempt(handler);
      const verifying = receiver.requests.flatMap(request => [
        isVerified(request, newSecret) ? 'new' : '',
        isVerified(request, oldSecret) ? 'old' : '',
      ]);
      expect([at, verifying.join(' ').trim(), callsOf('GetSecretValue').length]).toEqual([
        at,
        verifiedBy,
        calls,
      ]);
    }
  });

  const malformed = 'is not "whsec_" and the base64 of 24 to 64 bytes.';
  const denied = 'does not exist, or the function may not read it: AccessDeniedException: injected';
  it.each<[string, SecretVersion | undefined, string]>([
    ['missing', undefined, denied],
    [
      'empty',
      { error: 'ResourceNotFoundException' },
      'does not exist in Secrets Manager, or has no value.',
    ],
    [
      'being deleted',
      { error: 'InvalidRequestException' },
      'cannot be read: InvalidRequestException: injected',
    ],
    ['binary', {}, malformed],
    ['without prefix', { value: newSecret.slice(6) }, malformed],
    ['too short', { value: `whsec_${btoa('x'.repeat(23))}` }, malformed],
    ['too long', { value: `whsec_${btoa('x'.repeat(65))}` }, malformed],
    ['not base64', { value: `${newSecret.slice(0, -2)}!!` }, malformed],
    ['followed by a line break', { value: `${newSecret}\n` }, malformed],
  ])('that is %s fails the attempt, which is retried', async (_, value, text) => {
    aws.secrets.clear();
    if (value) set('AWSCURRENT', value);
    const error = `The secret petstore/accounting ${text}`;
    expect(await attemptTo()).toMatchObject({ level: 'warn', outcome: 'retried', error });
    expect(receiver.requests).toEqual([]);
  });

  it('with a long name fails the attempt with an error of at most 300 characters', async () => {
    send();
    expect((await attempt(await start(receiver.url, 's'.repeat(400)))).error).toHaveLength(300);
  });
});
