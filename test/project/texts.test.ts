import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recoveryDays } from '../../cdk/config/limits.ts';
import { descriptionOf } from '../../cdk/config/scopes.ts';
import { settingsOf } from '../../cdk/config/settings.ts';
import { responseBytes } from '../../cdk/cost/ordinary-month.ts';
import { idleWebhook } from '../../cdk/cost/webhooks.ts';
import { collectionsOf } from '../../cdk/openapi/descriptions.ts';
import document from '../../cdk/openapi/openapi.json' with { type: 'json' };
import { defaultAttempts } from '../../cdk/openapi/petstore-client.ts';
import { resourcesOf } from '../../cdk/synthesis/template.ts';
import { errors, toBody } from '../../lib/errors.ts';
import { eventTypes } from '../../lib/events/event-types.ts';
import { commonHeaders } from '../../lib/http/common-headers.ts';
import { keyLifetimeHours } from '../../lib/key-lifetime.ts';
import { maxBodyBytes } from '../../lib/max-body-bytes.ts';
import { kindOf } from '../../lib/model/kinds.ts';
import { indexes } from '../../lib/model/table/indexes.ts';
import { operationIds } from '../../lib/operations/index.ts';
import { maxOrderQuantity } from '../../lib/schemas/order.ts';
import { petStatuses } from '../../lib/schemas/pet.ts';
import { defaultLimit, maxLimit } from '../../lib/schemas/query.ts';
import { scopes } from '../../lib/scopes.ts';
import { retryHours } from '../../lib/webhook-retries.ts';
import manifest from '../../package.json' with { type: 'json' };
import { everything } from '../stack/settings.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { storedNouns } from '../support/resources.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const guide = read('cdk/openapi/guide.md');
/** The groups of each match in the guide. */
const foundInGuide = (pattern: RegExp) =>
  Array.from(guide.matchAll(pattern), ([, ...groups]) => groups);

it('no text runs a .ts file in whatever Node the machine has', () => {
  const files = globSync(['*.md', '.github/*.md', '{cdk,lib,test}/**/*.md', 'cdk/**/*.ts'], {
    cwd: root,
    exclude: ['**/node_modules'],
  });
  const lines = files.flatMap(file =>
    read(file)
      .split('\n')
      .map(line => `${file}: ${line}`),
  );
  expect(
    lines.filter(line =>
      /(?<!npx |--app '|\* `|run: )\bnode (?!end-with)[\w./-]+\.ts\b/.test(line),
    ),
  ).toEqual([]);
});

it('an installation without a Node that runs ends with what to do', () => {
  const { status, stdout } = spawnSync('/bin/sh', ['-c', manifest.scripts.prepare], {
    cwd: root,
    env: { PATH: '/nowhere' },
  });
  expect([status, `${stdout}`]).toEqual([
    1,
    expect.stringMatching(/^Packages or Node 24 are missing\. Run: npm ci --include=dev /),
  ]);
});

describe('the guide for callers', () => {
  it('has a row for every scope, and says what it implies', () => {
    const described = scopes.map(scope => [
      scope,
      ...descriptionOf(scope).split('; implies petstore/'),
    ]);
    const rows = described.map(([scope, text]) => [
      scope,
      text!.replace(/^./, first => first.toLowerCase()),
    ]);
    expect(foundInGuide(/^\| `petstore\/([\w.]+)` \| (.+) \|$/gm)).toEqual(rows);
    const implied = described.flatMap(([scope, , ...others]) =>
      others.map(other => [scope, other]),
    );
    expect(foundInGuide(/`petstore\/([\w.]+)` implies `petstore\/([\w.]+)`/g)).toEqual(implied);
  });

  it('shows every header of a webhook', () => {
    const [webhook] = Object.values(document['x-webhooks']);
    for (const { name } of webhook!.post.parameters) expect(guide).toContain(`\n${name}: `);
  });

  it('lists every event type and no other', () =>
    expect(foundInGuide(/^- `(petstore\.\w+\.\w+)`: /gm).flat()).toEqual(eventTypes));

  it('has a row for every error code and no other', () => {
    const bodies = Object.keys(errors).map(name => toBody(name as keyof typeof errors));
    const rows = new Set(bodies.map(({ status, code }) => `${status} | \`${code}`));
    expect(foundInGuide(/^\| (\d{3} \| `\w+)` \| .+ \|$/gm).flat()).toEqual([...rows]);
  });
});

const { template } = await synthesizeShared({ stage: 'prod' });
const withQueues = (await synthesizeShared({ stage: 'prod', settings: everything })).template;
const retentions = resourcesOf(withQueues, 'AWS::SQS::Queue').map(
  ([, { MessageRetentionPeriod: period }]) => period,
);
// SQS keeps the time of sending, so both queues of a webhook have the same: else its events could expire where they are moved.
const deadLetterDays = [...new Set(retentions)]
  .map(seconds => seconds / (24 * 3_600))
  .join(' and ');
const runtimes = new Set(
  resourcesOf(template, 'AWS::Lambda::Function').map(([, { Runtime }]) => Runtime),
);
const workflows = globSync('.github/workflows/*.yml', { cwd: root }).filter(file =>
  /node-version/.test(read(file)),
);

const [runbook, security, guideFile] = [
  'cdk/RUNBOOK.md',
  '.github/SECURITY.md',
  'cdk/openapi/guide.md',
];
const [eventsFile, modelFile] = ['lib/events/README.md', 'lib/model/README.md'];
const sortKeys = storedNouns.map(noun => noun.toUpperCase());
const unfiltered = sortKeys.map(sk => `\`${kindOf(sk)?.partitionsOf({}).all}\``);
const scopeNames = new Intl.ListFormat('en-GB').format(scopes.map(scope => `\`${scope}\``));
const holds = petStatuses.filter(status => status !== 'available').map(status => `\`${status}\``);
const onHold = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(holds);
const anyOrigin = commonHeaders['Access-Control-Allow-Origin'].replace('*', 'any');
const formats = JSON.stringify(document).matchAll(/"format":"(date.*?)"/g);
const dateFormats = [...new Set(Array.from(formats, ([, format]) => format))].sort();
const { logRetention, tokenLifetime } = settingsOf('prod');
const node = [...runtimes].join().replace(/^nodejs(\d+)\.x$/, '$1');

/**
 * Numbers and words that texts repeat: the value from its only source, the text, and patterns of the sentences with it. Fails if
 * the text has no such sentence, or one with another value.
 */
const facts: readonly (readonly [value: number | string, file: string, ...sentences: RegExp[]])[] =
  [
    [String(maxOrderQuantity), guideFile, /expected an integer from 1 to (\d+)/],
    [keyLifetimeHours, guideFile, /^- For (\S+) hours, the same request with the same key/m],
    [keyLifetimeHours, security, /^\| idempotency records \| (\S+) hours,/m],
    [recoveryDays, runbook, /Point-in-time recovery has every second of the last (\S+) days/],
    [
      recoveryDays,
      'cdk/TASKS.md',
      /errors older than (\S+) days, which point-in-time recovery no longer has/,
    ],
    [recoveryDays, security, /^\| every state of the table \| (\S+) days \|/m],
    [recoveryDays, 'cdk/DECISIONS.md', /Point-in-time recovery has (\S+) days/],
    [
      maxBodyBytes,
      guideFile,
      /send at most (\S+) bytes/,
      /A body is JSON in UTF-8 of at most (\S+) bytes/,
    ],
    [logRetention, runbook, /logs are kept for (\S+) days by default/],
    [logRetention, security, /^\| logs, with the ids .* \| (\S+) days by default, `logRetention`/m],
    [maxLimit, guideFile, /`limit` \(1 … (\S+), default/],
    [defaultLimit, guideFile, /`limit` \(1 … \S+ default (\d+)\)/],
    [defaultAttempts, guideFile, /with at most (\S+) attempts/],
    [responseBytes / 1_000, 'cdk/cost/README.md', /that the response has (\S+) KB/],
    [
      retryHours,
      guideFile,
      /the delivery is retried for (\S+) hours/,
      /After the (\S+) hours, your operator can/,
    ],
    [
      retryHours,
      runbook,
      /for (\S+) hours a partner/,
      /continue for (\S+) hours/,
      /tried again for (\S+) hours/,
    ],
    [
      retryHours,
      eventsFile,
      /attempt fails (\S+) hours or/,
      /has another (\S+) hours/,
      /retried for (\S+) hours/,
    ],
    [idleWebhook.toFixed(2), eventsFile, /An idle one costs \$(\S+) a month/],
    [retryHours, security, /^\| events \| up to (\S+) hours of retries/m],
    [deadLetterDays, guideFile, /your operator can deliver the event again for up to (\S+) days/],
    [
      deadLetterDays,
      runbook,
      /queue, for (\S+) days/,
      /events wait for (\S+) days/,
      /until (\S+) days after they were published/,
    ],
    [
      deadLetterDays,
      eventsFile,
      /dead-letter queue for (\S+) days/,
      /expire (\S+) days after they were published/,
    ],
    [deadLetterDays, security, /^\| changes and events that failed \| up to (\S+) days/m],
    [tokenLifetime / 60, runbook, /Tokens stay valid for up to (\S+) hours \(`tokenLifetime`\)/],
    [onHold, guideFile, /change its status to (.+?)\. The status/],
    [indexes.length, modelFile, /There are (\S+) sparse global secondary indexes/],
    [onHold, modelFile, /is \*\*on hold\*\* when staff set it to (.+?): /],
    [scopeNames, 'cdk/README.md', /resource server `petstore` with the scopes (.+?), and pass/s],
    [collectionsOf(), guideFile, /It keeps (.+?): the shop/],
    [collectionsOf('public'), guideFile, /You can read (.+?), and this documentation,/],
    [collectionsOf('catalog'), 'cdk/config/scopes.ts', /catalog: 'Write (.+?)',/],
    [unfiltered.join(', '), modelFile, /^- `all`: (.+?), for unfiltered lists/m],
    ...sortKeys.map(
      sk => [sk, modelFile, new RegExp(`^- \\w+ \\(\`${sk}#<id>\`, \`(\\w+)\`\\)`, 'm')] as const,
    ),
    [dateFormats.join(' or '), guideFile, /A date is an RFC 3339 (.+?) from year 1 to 9999/],
    [anyOrigin, guideFile, /^- Browsers of (\S+) origin may call the API/m],
    [node, 'cdk/bundle/bundle.ts', /target: 'node(\d+)'/],
    [node, 'package.json', /"node-\w[\w-]+": "(\d+)\./, /"@types\/node": "(\d+)\./],
    [node, '.devcontainer/devcontainer.json', /javascript-node:(\d+)-/],
    ...workflows.map(file => [node, file, /\bnode-version: (\d+)$/m] as const),
  ];
/** Wherever lines are wrapped. */
const anyWrap = ({ source, flags }: RegExp) =>
  new RegExp(source.replaceAll(' ', '\\s+'), `${flags}g`);
const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

describe('the texts', () => {
  const rows = facts.flatMap(([value, file, ...sentences]) =>
    sentences.map(it => [value, file, it] as const),
  );
  it.each(rows)('state %s in %s: %s', (value, file, sentence) => {
    const found = [...read(file).matchAll(anyWrap(sentence))];
    const stated = found.map(([, text]) => text!.replace(/\s+/g, ' ').replace(/,$/, ''));
    const right = [value.toLocaleString('en-US'), words[Number(value)]];
    expect(stated.filter(text => !right.includes(text))).toEqual([]);
    expect(stated, 'no such sentence').not.toEqual([]);
  });

  const exclude = ['**/node_modules/**', 'cdk.out/**', guideFile];
  const texts = globSync(['**/*.md', '.github/*.md'], { cwd: root, exclude });

  /** The anchors that GitHub derives from headings. */
  const anchorsOf = (file: string) => {
    const text = read(file).replace(/^```.*?^```/gms, '');
    const headings = Array.from(
      text.toLowerCase().matchAll(/^#+ (.+)$/gm),
      ([, heading]) => heading!,
    );
    return headings.map(heading => heading.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
  };

  it.each(texts)('name existing files and headings in %s', file => {
    const text = read(file);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    const broken = links.filter(([, path, anchor]) => {
      const target = path ? join(file, '..', path) : file;
      return !existsSync(join(root, target)) || (anchor && !anchorsOf(target).includes(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
    const paths =
      text.match(/(?<=`)(?:lib|cdk|functions|test)\/[\w./-]+\.(?:ts|json|md)(?=`)/g) ?? [];
    expect(paths.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });

  it('name operations that exist, as the sources do', () => {
    const partsOf = (pattern: RegExp) =>
      [...new Set(operationIds.map(id => pattern.exec(id)![0]))].join('|');
    const operation = new RegExp(`\\b(?:${partsOf(/^[a-z]+/)})(?:${partsOf(/[A-Z].*$/)})\\b`, 'g');
    const sources = globSync('{lib,functions,cdk,test}/**/*.{ts,json}', { cwd: root, exclude });
    const current = [...texts.filter(file => file !== 'CHANGELOG.md'), guideFile, ...sources];
    const named = current.flatMap(file =>
      Array.from(read(file).match(operation) ?? [], id => [id, file]),
    );
    const known = new Set<string>(operationIds);
    expect(named.filter(([id]) => !known.has(id!))).toEqual([]);
  });
});
