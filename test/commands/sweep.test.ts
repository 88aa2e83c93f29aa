import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  DeleteItemCommand,
  PutItemCommand,
  RestoreTableToPointInTimeCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { columns } from '../../cdk/commands/import/cells.ts';
import { writeSheet } from '../../cdk/commands/shared/sheet.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { queueArn } from '../../cdk/local/events/sqs-queue.ts';
import { resourcesOf } from '../../cdk/synthesis/template.ts';
import { recordsIn } from '../support/catalog.ts';
import { outputsOf, type Stack, startFakeAws } from '../support/fake-aws.ts';
import { startFakeLambda } from '../support/fake-lambda.ts';
import { createCategory, createPet, setQuantity, succeed } from '../support/fixtures.ts';
import { type ForwardedRequest, startForwarder } from '../support/forwarder.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { root } from '../support/project.ts';
import { callQueue, outputsAt, passVisibilityTimeout } from '../support/queue.ts';
import { startRestoreEmulator } from '../support/restore-emulator.ts';
import { callCommand, type Ended } from '../support/run-command.ts';
import { signToken } from '../support/sign-token.ts';
import { one as webhook } from '../webhooks/settings.ts';

// Each line runs once, and its calls are recorded. Then each kind of call fails in turn, and the line runs again. Beside the
// own client, caller, stage and table there are those whose names begin with theirs.

vi.mock('node:timers/promises', async original => {
  const { setTimeout } = await original<typeof import('node:timers/promises')>();
  return { setTimeout: (milliseconds: number) => setTimeout(Math.min(milliseconds, 5)) };
});

const one = { ...webhook, url: 'http://127.0.0.1:9/' };
const assembly = await synthesizeShared({ stage: 'local', settings: { webhooks: { one } } });
const { template } = assembly;
const petstore = usePetstore({ assembly });
const lambda = startFakeLambda(template);
const stacks = new Map<string, Stack>();
const aws = await startFakeAws(stacks, {
  ...lambda.operations,
  DescribeUserPoolClient: () => ({ UserPoolClient: { ClientSecret: 'local' } }),
  StartQuery: () => ({ queryId: 'one' }),
  GetQueryResults: () => {
    const results = [[{ field: 'count', value: '1' }]];
    return { status: 'Complete', results, statistics: { bytesScanned: 1 } };
  },
});
const emulator = await startRestoreEmulator(inject('endpoint'));
const engine = connect(emulator.url);

/** Such as `PutItem` and `GET /pets/ID`. */
const kindOf = ({ method, path, headers, body }: ForwardedRequest): string => {
  const action = `${headers['x-amz-target'] ?? ''}`.split('.')[1];
  const parts = path.split('?')[0]!.split('/');
  const where = parts.map(part => (/\d{5}|^physical|^arn/.test(part) ? 'ID' : part)).join('/');
  return action ?? new URLSearchParams(body).get('Action') ?? `${method} ${where}`;
};
/** Of the run: how often each kind of call was made, and a kind that fails from one of its calls on. */
let calls = new Map<string, number>();
let fault: { kind: string; from: number; isRefused: boolean } | undefined;
/** The hour of the run, and of the first call with each idempotency key. */
let hour = 0;
const hoursOfKeys = new Map<string, number>();
/** What reached the bus. */
const published = new Set<string>();
const refusal = (isQuery: boolean) => ({
  status: 403,
  headers: {},
  body: isQuery
    ? '<ErrorResponse><Error><Code>AccessDenied</Code><Message>refused</Message></Error></ErrorResponse>'
    : JSON.stringify({ __type: 'AccessDeniedException', message: 'refused', code: 'forbidden' }),
});
const watch = (target: string) =>
  startForwarder(target, {
    request: async (request, forward) => {
      const kind = kindOf(request);
      const number = (calls.get(kind) ?? 0) + 1;
      calls.set(kind, number);
      const { from, isRefused } = fault?.kind === kind ? fault : { from: Infinity };
      if (number >= from && isRefused) return refusal(request.body.includes('Action='));
      if (number > from) return 'close';
      // The API forgets its keys after a day.
      const key = `${request.headers['idempotency-key'] ?? ''}`;
      if (key && hour - (hoursOfKeys.get(key) ?? hour) > 24)
        request.headers['idempotency-key'] = `${key} later`;
      hoursOfKeys.set(key, hoursOfKeys.get(key) ?? hour);
      const response = await forward({ headers: request.headers });
      for (const { Detail } of kind === 'PutEvents' ? JSON.parse(request.body).Entries : [])
        published.add(JSON.parse(Detail).id);
      return number === from ? 'close' : response;
    },
  });
const [api, bus, table, account] = await Promise.all(
  ['', '', emulator.url, aws.environment.AWS_ENDPOINT_URL_STS!].map(watch),
);

let outputs: Record<string, string>;
let items: Awaited<ReturnType<typeof scan>>;
const scan = async () =>
  (await engine.send(new ScanCommand({ TableName: petstore.tableName }))).Items!;
const keyOf = ({ pk, sk }: (typeof items)[number]) => ({ pk: pk!, sk: sk! });
let edited: string;
const words = { FILE: '', TABLE: '', NAME: '5xx by cause' };

beforeAll(async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0); // attempts follow each other without a delay
  const local = await outputsAt(petstore.url);
  api!.target = petstore.url;
  bus!.target = local.EventsEndpoint!;
  const watched = JSON.stringify(local)
    .replaceAll(petstore.url, api!.url)
    .replaceAll(bus!.target, bus!.url);
  const ids = { UserPoolId: 'eu-west-1_Pool', StaffClientId: 'staff', IndexShards: '1' };
  outputs = { ...outputsOf(template, ids), ...JSON.parse(watched), ...ids };
  stacks.set('petstore-local', { template, outputs });
  for (const [name, url] of Object.entries(aws.environment))
    vi.stubEnv(name, url.replace(account!.target, account!.url));
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', table!.url);
  vi.stubEnv('AWS_ENDPOINT_URL_EVENTBRIDGE', bus!.url);
  vi.stubEnv('RETRY_BUDGET_MS', '50');

  const { staff, shop, rival } = petstore;
  const { id: categoryId } = await createCategory(staff);
  const tom = await createPet(staff, categoryId, { name: 'Tom' });
  await createPet(staff, categoryId, { name: 'Kit', status: 'pending' });
  await setQuantity(staff, tom.id, 9);
  const shop2 = petstore.withToken(await signToken(petstore.tokenKey, { client: 'shop2' }));
  const orders: number[] = [];
  for (const client of [shop, shop, rival, shop2]) {
    const headers = { 'Idempotency-Key': 'one' };
    const body = { petId: tom.id };
    orders.push((await succeed(client, 'POST', '/store/orders', { headers, body })).body.id);
  }
  // A record of staff with a copy of the order.
  const request = { headers: { 'Idempotency-Key': 'two' }, body: { complete: true } };
  await succeed(staff, 'PATCH', `/store/orders/${orders[1]}`, request);
  items = await scan();
  words.FILE = join(tempFolder('data'), 'pets.csv');
  expect((await run('export FILE')).code).toBe(0);
  const [first, second] = await recordsIn(words.FILE);
  await writeSheet(words.FILE, columns, [
    { ...first, name: 'Tomcat', stock: 7 },
    { ...second, status: 'available', stock: 3 },
  ]);
  edited = readFileSync(words.FILE, 'utf8');
});
afterAll(() => [api, bus, table, account, aws, emulator].forEach(server => void server!.stop()));

const run = async (line: string, hours = 0): Promise<Ended> => {
  calls = new Map();
  const [name, ...args] = line.split(' ').map(word => words[word as 'FILE'] ?? word);
  const { command } = await import(join(root, `cdk/commands/${name}.ts`));
  hour = hours;
  const now = () => Date.now() + hours * 3_600_000;
  return callCommand(command, [...args, '--stage', 'local'], process.env, now);
};

/** Without what an attempt more or another time changes, and what is derived. */
const shown = (key: string, value: unknown) => {
  if (/^(pk|version|writeCount|expiresAt|requestDigest|by.*|all)$/.test(key)) return undefined;
  if (typeof value === 'object') return Object.fromEntries(Object.entries(value!).sort());
  return Number(value) > 1e9 ? 'ID' : value;
};
const stored = async () =>
  (await scan())
    .map(item => JSON.stringify(unmarshall(item), shown))
    // Records of orders, but not of the requests of an import.
    .filter(text => !text.includes('"IDEMPOTENCY"') || text.includes('"complete"'))
    .sort();
const reset = async () => {
  const TableName = petstore.tableName;
  const current = new Map((await scan()).map(item => [item.pk!.S, item]));
  for (const Item of items) {
    if (!isDeepStrictEqual(current.get(Item.pk!.S), Item))
      await engine.send(new PutItemCommand({ TableName, Item }));
    current.delete(Item.pk!.S);
  }
  for (const item of current.values())
    await engine.send(new DeleteItemCommand({ TableName, Key: keyOf(item) }));
  lambda.reset();
  published.clear();
  fault = undefined;
  hoursOfKeys.clear();
  words.FILE = join(tempFolder('data'), 'pets.csv');
};

const queue = resourcesOf(template, 'AWS::SQS::Queue').find(([id]) => /^Webhooksone/.test(id))![0];
const urlOf = (name: string) =>
  name === queue
    ? outputs.WebhooksDeadLetterQueueUrl!.replace(/[^/]+$/, queue)
    : outputs[`${name}Url`]!;
/** The bodies, also of messages that are hidden. An event that is sent twice has the same id. */
const receivedFrom = async (name: string): Promise<string[]> => {
  passVisibilityTimeout();
  const call = (operation: string, input: object) => callQueue(urlOf(name), operation, input);
  const { Messages } = await call('ReceiveMessage', { MaxNumberOfMessages: 10 });
  for (const { ReceiptHandle } of Messages) await call('DeleteMessage', { ReceiptHandle });
  return [...new Set<string>(Messages.map(({ Body }: { Body: string }) => Body))].sort();
};
const deadLetter = (name: string, body: object, MessageAttributes = {}) =>
  callQueue(urlOf(`${name}DeadLetterQueue`), 'SendMessage', {
    MessageBody: JSON.stringify(body),
    MessageAttributes,
  });

interface Line {
  readonly line: string;
  /** What is there before it, beside one category, two pets and four orders. */
  readonly before?: () => Promise<unknown>;
  /** What it changes, or returns. */
  readonly end: (ended: Ended) => unknown;
  readonly isWriting?: boolean;
  /** Of a run without a fault. */
  readonly code?: number;
  /** Of the clock, so that `--cancel-older-than` finds something. */
  readonly hours?: number;
  /** Where another end is right: `how: KIND`, and what the last run prints. */
  readonly sentences?: readonly (readonly [where: RegExp, sentence: RegExp])[];
}
/** SQS shows a message again after its visibility timeout. */
const hidden = [
  [
    /at once: (Send|Delete)Message$/,
    /are hidden for up to 30 s, because another run received them/,
  ],
] as const;
const printed = ({ out }: Ended) => out;
const lines: Line[] = [
  {
    line: 'adopt --table TABLE --rate 9999 --yes',
    before: async () => {
      words.TABLE = `petstore-local-restored-${crypto.randomUUID()}`;
      const tables = { SourceTableName: petstore.tableName, TargetTableName: words.TABLE };
      await engine.send(new RestoreTableToPointInTimeCommand(tables));
    },
    isWriting: true,
    end: ({ out }) => out.replace(/petstore-local-restored-[^/']+|stream\/[^']+/g, 'NAME'),
  },
  {
    line: 'webhooks/redrive --yes',
    before: () =>
      deadLetter(
        'Webhooks',
        { specversion: '1.0', id: 'x', data: {} },
        { queue: { DataType: 'String', StringValue: queueArn(queue) } },
      ),
    end: async () => [await receivedFrom(queue), await receivedFrom('WebhooksDeadLetterQueue')],
    isWriting: true,
    sentences: hidden,
  },
  { line: 'audit/index', end: printed },
  { line: 'client-data export --client shop', end: printed },
  { line: 'client-data erase --client shop --yes', end: stored, isWriting: true },
  { line: 'client-data move --client rival --to portal --yes', end: stored, isWriting: true },
  {
    line: 'events/redrive --yes',
    code: 1,
    before: async () => {
      for (const name of [petstore.tableName, `${petstore.tableName}2`]) {
        const eventSourceARN = `arn:aws:dynamodb:eu-west-1:1:table/${name}/stream/1`;
        const NewImage = items.find(({ sk }) => sk!.S === 'CATEGORY')!;
        const record = { eventSourceARN, dynamodb: { Keys: keyOf(NewImage), NewImage } };
        await deadLetter('Events', { reason: 'none', record });
      }
    },
    end: async () => [[...published].sort(), await receivedFrom('EventsDeadLetterQueue')],
    isWriting: true,
    sentences: hidden,
  },
  { line: 'events/republish --yes', end: () => [...published].sort(), isWriting: true },
  {
    line: 'export FILE',
    end: async () => (await recordsIn(words.FILE)).map(({ revision, ...row }) => row),
  },
  {
    line: 'import/index FILE',
    before: async () => {
      const twin = { name: 'Twin', category: 'Twins' };
      await writeSheet(words.FILE, columns, [twin, twin, { ...twin, name: 'Three', stock: 3 }]);
    },
    end: stored,
    isWriting: true,
    sentences: [
      [
        /a day later: POST .pets$/,
        /^line 3: Twin: refused, its creation at \S+ got no response, .* Since then, pet-\d+ of its name came/m,
      ],
    ],
  },
  {
    line: 'import/index FILE',
    before: async () => writeFileSync(words.FILE, edited),
    end: stored,
    isWriting: true,
  },
  {
    line: 'import/index FILE --undo',
    before: async () => {
      writeFileSync(words.FILE, `${edited}\n`);
      expect(await run('import/index FILE')).toMatchObject({ code: 0 });
    },
    end: stored,
    isWriting: true,
  },
  {
    line: 'import/index FILE --undo',
    before: async () => {
      await writeSheet(words.FILE, columns, [{ name: 'Twin', category: 'Twins' }]);
      fault = { kind: 'POST /pets', from: 1, isRefused: false };
      await run('import/index FILE');
      fault = undefined;
    },
    end: stored,
    hours: 25,
    code: 1,
  },
  { line: 'orders --open', end: printed },
  {
    line: 'orders --cancel-older-than 2h --yes',
    end: stored,
    isWriting: true,
    hours: 3,
  },
  { line: 'pause --events --writes', end: pausedBy, isWriting: true },
  {
    line: 'pause --resume',
    before: async () => {
      aws.caller = 'alice2';
      await run('pause --events');
      aws.caller = 'alice';
      await run('pause --writes');
    },
    end: pausedBy,
    isWriting: true,
    code: 1,
  },
  { line: 'query NAME', end: printed },
];
function pausedBy() {
  const names = [...lambda.tags].map(([arn, tags]) => [arn, Object.values(tags)[0]!.split(' ')[0]]);
  return {
    states: [...lambda.states].sort(),
    reserved: [...lambda.reserved].sort(),
    names: names.sort(),
  };
}

/** They make no call. */
const withoutLine = /^(cost|dev|start|symbolicate)$/;
it('every command has a line', () => {
  const files = globSync('cdk/commands/**/*.ts', { cwd: root })
    .filter(file => readFileSync(join(root, file), 'utf8').includes('runMain(command'))
    .map(file => file.replace(/^cdk\/commands\/|\.ts$/g, ''));
  const named = new Set(lines.map(({ line }) => line.split(' ')[0]));
  const missing = files.filter(name => !withoutLine.test(name) && !named.has(name));
  expect(missing, 'add a line to test/commands/sweep.test.ts').toEqual([]);
});

/** The hours of the clock at each run of a line, how a kind of call fails, and from which of its calls on (the middle one). */
const schedules = {
  'refused, then at once': [[0, 'refused'], [0]],
  'without a response, then at once': [[0, 'lost'], [0]],
  'refused, without a response 20 hours later, then a day later': [
    [-20, 'refused'],
    [0, 'lost', 1],
    [5],
  ],
} as const;

/** AWS can refuse one of them. After an undo, nothing is left to undo, so the exit code may differ. */
const twoAtOnce = 'two at once, then again';

// The end of a line empties the queues.
it.each(lines)('npm run $line', async each => {
  const { line, before, end, code = 0, hours = 0, isWriting, sentences = [] } = each;
  const begin = async () => {
    await reset();
    await before?.();
  };
  await begin();
  const first = await run(line, hours);
  const made = [...calls];
  expect(first.code, first.output).toBe(code);
  const wanted = JSON.stringify(await end(first), null, 1);
  const found: string[] = [];
  const used = new Set<unknown>();
  const compare = async (where: string, ended: Ended) => {
    const state = JSON.stringify(await end(ended), null, 1);
    if (state === wanted && (ended.code === code || where === twoAtOnce)) return;
    const sentence = sentences.find(([at, text]) => at.test(where) && text.test(ended.output));
    if (sentence) return void used.add(sentence);
    const lost = wanted.split('\n').filter(text => !state.includes(text));
    const added = state.split('\n').filter(text => !wanted.includes(text));
    found.push([`${where}: ${ended.code}`, ended.output, ...lost, '→', ...added].join('\n'));
  };
  for (const [kind, count] of made)
    for (const [name, runs] of Object.entries(schedules)) {
      const isReading = /^(GET|List|Get|Describe|Scan)/.test(kind);
      // Only an import remembers what it has read.
      if (runs.length > 2 && !(isWriting && (!isReading || line.startsWith('import')))) continue;
      await begin();
      let ended!: Ended;
      for (const [at, how, from = Math.floor(count / 2) + 1] of runs) {
        fault = how && { kind, from, isRefused: how === 'refused' };
        if (at > 0) passVisibilityTimeout();
        ended = await run(line, hours + at);
      }
      await compare(`${name}: ${kind}`, ended);
    }
  if (isWriting) {
    await begin();
    await Promise.all([run(line, hours), run(line, hours)]);
    passVisibilityTimeout();
    await compare(twoAtOnce, await run(line, hours));
  }
  expect(found.join('\n\n')).toBe('');
  expect(sentences.filter(sentence => !used.has(sentence))).toEqual([]);
});
