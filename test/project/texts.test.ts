import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { deadLetterDays, recoveryDays } from '../../cdk/config/limits.ts';
import { descriptionOf, grantedBeside } from '../../cdk/config/scopes.ts';
import { settingsOf } from '../../cdk/config/settings.ts';
import { idleWebhook } from '../../cdk/cost/webhooks.ts';
import { collectionsOf } from '../../cdk/openapi/descriptions.ts';
import { errors, toBody } from '../../lib/errors.ts';
import { eventTypes } from '../../lib/events/event-types.ts';
import { keyLifetimeHours } from '../../lib/key-lifetime.ts';
import { maxBodyBytes } from '../../lib/max-body-bytes.ts';
import { kindOf } from '../../lib/model/kinds.ts';
import { readFrom } from '../../lib/model/table/indexes.ts';
import { maxLimit } from '../../lib/schemas/query.ts';
import { implied, scopes } from '../../lib/scopes.ts';
import { retryHours } from '../../lib/webhook-retries.ts';
import manifest from '../../package.json' with { type: 'json' };
import { read, root } from '../support/project.ts';
import { storedNouns } from '../support/resources.ts';

const files = (...patterns: string[]) =>
  globSync(patterns, { cwd: root, exclude: ['**/node_modules', 'cdk.out'] });
const texts = files('**/*.md', '.github/*.md');

it('no text runs a .ts file in whatever Node the machine has', () => {
  const lines = [...texts, ...files('cdk/**/*.ts')].flatMap(file => read(file).split('\n'));
  const runs = /(?<!npx |--app '|\* `|run: )\bnode (?!end-with)[\w./-]+\.ts\b/;
  expect(lines.filter(line => runs.test(line))).toEqual([]);
});

it('shell blocks can be pasted: they have no comments, which zsh takes as arguments, and no prompts', () => {
  const blocks = texts.flatMap(file => [...read(file).matchAll(/^ *```sh\n(.*?)^ *```/gms)]);
  const lines = blocks.flatMap(([, block]) => block!.split('\n'));
  expect(lines.filter(line => /(?:^|\s)#|^\s*\$ /.test(line))).toEqual([]);
});

it('an installation without a Node that runs ends with what to do', () => {
  const env = { PATH: '/nowhere', npm_node_execpath: process.execPath };
  const options = { cwd: root, env, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync('/bin/sh', ['-c', manifest.scripts.prepare], options);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Packages or Node 24 are missing\. Run: npm ci --include=dev /m);
  // npm prints the script.
  expect(manifest.scripts.prepare).not.toMatch(/missing|error|fail/i);
});

it('examples create nothing that the sample has, so that npm run seed works after them', () => {
  const examples = read('README.md') + read('cdk/local/launch.ts');
  const created = [...examples.matchAll(/"name":"(\w+)"|\{ name: '(\w+)'/g)];
  const sample = read('cdk/commands/import/sample.csv');
  const names = created.map(([, json, code]) => json ?? code!);
  expect(new Set(names)).toEqual(new Set(['Birds', 'Kiwi']));
  expect(names.filter(name => new RegExp(`\\b${name}\\b`).test(sample))).toEqual([]);
});

it('functions, scripts, types, bundles, containers and workflows have one version of Node', () => {
  const version =
    /(?:NODEJS_|node-version: |target: 'node|javascript-node:|"(?:@types\/node|node-[\w-]+)": ")(\d+)/g;
  const workflows = files('.github/workflows/*.yml').filter(file => /setup-node/.test(read(file)));
  const code = ['cdk/stack/function.ts', 'cdk/bundle/bundle.ts'];
  const all = [...code, 'package.json', '.devcontainer/devcontainer.json', ...workflows];
  const found = all.flatMap(file => read(file).match(version) ?? file);
  expect(new Set(found.map(text => /\d+$/.exec(text)?.[0])).size).toBe(1);
});

const bodies = Object.keys(errors).map(name => toBody(name as keyof typeof errors));
const codes = bodies.map(({ status, code }) => `${status} | \`${code}\``);
it.each([
  ['scope', /^\| `petstore\/([\w.]+)` \|/gm, scopes],
  ['event type', /^- `(petstore\.\w+\.\w+)`: /gm, eventTypes],
  ['error code', /^\| (\d{3} \| `\w+`) \| .+ \|$/gm, codes],
])('the guide has every %s and no other', (_, row, known) => {
  const found = read('cdk/openapi/guide.md').matchAll(row);
  expect(Array.from(found, ([, name]) => name)).toEqual([...new Set(known)]);
});

it.each(scopes)('the scope %s names what it allows, in the guide, too', scope => {
  const [text] = descriptionOf(scope).split(';') as [string];
  for (const noun of collectionsOf(scope).split(/, | and /)) expect(text).toContain(noun);
  const cell = text.replace(/^./, first => first.toLowerCase());
  expect(read('cdk/openapi/guide.md')).toContain(`| \`petstore/${scope}\` | ${cell} |`);
});

it('the guide names each field of a request that needs a wider scope', () => {
  const sources = files('functions/*.ts').map(file => [basename(file, '.ts'), read(file)] as const);
  const checked = sources.flatMap(([operation, source]) =>
    Array.from(
      source.matchAll(/'forbidden', '\w+\.(\w+)/g),
      ([, field]) => `${field} in ${operation}`,
    ),
  );
  const [, sentence = ''] = /Only the 403 of (.+?), which\s/s.exec(read('cdk/openapi/guide.md'))!;
  const named = sentence.matchAll(/`(\w+)[^`]*`\s+in\s+(\w+)/g);
  expect(Array.from(named, ([, field, operation]) => `${field} in ${operation}`).sort()).toEqual(
    checked.sort(),
  );
});

const list = (names: readonly string[]) =>
  new Intl.ListFormat('en-GB').format(names.map(name => `\`${name}\``));
const { logRetention, tokenLifetime, maxRequestUnits } = settingsOf('prod');
/** In a second (DynamoDB developer guide, "On-demand capacity mode"). */
const unitsOfNewTable = { write: 4_000, read: 12_000 };
const loadOf = (kind: 'read' | 'write') => {
  const [load, limit] = [maxRequestUnits.table[kind], unitsOfNewTable[kind]];
  const factor = Math.round(limit / load);
  return `units of a new table | ${load} | ${limit.toLocaleString('en-US')} | × ${factor} |`;
};
const kinds = storedNouns.map(noun => noun.toUpperCase());
const partitions = kinds.map(kind => `\`${kindOf(kind)?.partitionsOf({}).all}\``);

/** "A request must reach AWS within five minutes of the time stamp" (IAM user guide, "AWS Signature Version 4 for API requests"). */
const signed = 'five minutes';

/** Sentences that repeat numbers and names, each with the value from its only source. */
const facts = Object.entries({
  'cdk/openapi/guide.md': [
    ...Object.entries(implied).map(
      ([scope, narrower]) => `\`petstore/${scope}\` implies \`petstore/${narrower}\``,
    ),
    `&limit=${maxLimit}'`,
    `It keeps ${collectionsOf()}: the shop`,
    `You can read ${collectionsOf('public')}, and this documentation,`,
    `For ${keyLifetimeHours} hours, the same request with the same key`,
    `A body is JSON in UTF-8 of at most ${maxBodyBytes.toLocaleString('en-US')} bytes`,
    `For ${signed} after such an attempt its write can still happen`,
    `So after such a rejection, wait ${signed}, and retry`,
    `the delivery is retried for ${retryHours} hours`,
    `After the ${retryHours} hours, your operator can deliver the event again for up to ${deadLetterDays} days`,
  ],
  'cdk/RUNBOOK.md': [
    `Point-in-time recovery has every second of the last ${recoveryDays} days`,
    `for ${retryHours} hours a partner did not accept events`,
    `Attempts continue for ${retryHours} hours`,
    `each event is tried again for ${retryHours} hours`,
    `changes wait in the events dead-letter queue, for ${deadLetterDays} days`,
    `the events wait for ${deadLetterDays} days`,
    `until ${deadLetterDays} days after they were published`,
    `The logs are kept for ${logRetention} days by default`,
    `Tokens stay valid for up to ${tokenLifetime / 60} hours (\`tokenLifetime\`)`,
  ],
  'cdk/TASKS.md': [`To correct errors older than ${recoveryDays} days`],
  'cdk/cost/README.md': [`| Write ${loadOf('write')}`, `| Read ${loadOf('read')}`],
  'cdk/README.md': [
    `resource server \`petstore\` with the scopes ${list(scopes)}, and pass`,
    ...scopes.flatMap(scope => {
      const beside = grantedBeside(scope);
      return beside ? [`with \`${scope}\` also \`${beside}\``] : [];
    }),
  ],
  'cdk/openapi/petstore-client.ts': [`may have happened, now or within ${signed}.`],
  'README.md': [`that keeps ${collectionsOf()}, and`],
  'CHANGELOG.md': [`- ${collectionsOf().replace(/^./, first => first.toUpperCase())}, with`],
  '.github/SECURITY.md': [
    `| idempotency records | ${keyLifetimeHours} hours,`,
    `| every state of the table | ${recoveryDays} days |`,
    `| events | up to ${retryHours} hours of retries |`,
    `| changes and events that failed | up to ${deadLetterDays} days |`,
    `${logRetention} days by default, \`logRetention\``,
  ],
  'lib/events/README.md': [
    `An idle one costs $${idleWebhook.toFixed(2)} a month`,
    `If an attempt fails ${retryHours} hours or more after the event entered the queue`,
    `in the dead-letter queue for ${deadLetterDays} days`,
    `these expire ${deadLetterDays} days after they were published`,
    `has another ${retryHours} hours of retries`,
  ],
  'lib/model/README.md': [
    ...Object.keys(readFrom).map(key => `- \`${key}\`: `),
    `Lists read ${Object.keys(readFrom).length} sparse global secondary indexes`,
    `- \`all\`: ${partitions.join(', ')}, for unfiltered lists`,
    ...kinds.map(kind => `(\`${kind}#<id>\`, \`${kind}\`)`),
  ],
}).flatMap(([file, sentences]) => sentences.map(sentence => [file, sentence] as const));

it.each(facts)('%s states: %s', (file, sentence) => {
  expect(read(file).replaceAll(/\s+/g, ' ').includes(sentence)).toBe(true);
});

/** The anchors that GitHub derives from headings. */
const anchorsOf = (file: string) => {
  const headings = read(file)
    .replaceAll(/^```.*?^```/gms, '')
    .matchAll(/^#+ (.+)$/gm);
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  return Array.from(headings, ([, heading]) => anchorOf(heading!));
};

it.each(texts)('%s names existing files and headings', file => {
  const text = read(file);
  const links = text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g);
  const broken = links.filter(([, path, anchor]) => {
    const target = path ? join(file, '..', path) : file;
    return !existsSync(join(root, target)) || (anchor && !anchorsOf(target).includes(anchor));
  });
  expect(Array.from(broken, ([link]) => link)).toEqual([]);
  const paths = text.matchAll(/`((?:lib|cdk|functions|test)\/[\w./-]+\.(?:ts|json|md))`/g);
  const missing = paths.filter(([, path]) => !existsSync(join(root, path!)));
  expect(Array.from(missing, ([path]) => path)).toEqual([]);
});
