import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recoveryDays } from '../../cdk/config/limits.ts';
import { descriptionOf } from '../../cdk/config/scopes.ts';
import { settingsOf } from '../../cdk/config/settings.ts';
import document from '../../cdk/openapi/openapi.json' with { type: 'json' };
import { defaultAttempts } from '../../cdk/openapi/petstore-client.ts';
import { resourcesOf } from '../../cdk/synthesis/template.ts';
import { errors, toBody } from '../../lib/errors.ts';
import { commonHeaders } from '../../lib/http/common-headers.ts';
import { keyLifetimeHours } from '../../lib/key-lifetime.ts';
import { maxBodyBytes } from '../../lib/max-body-bytes.ts';
import { operationIds } from '../../lib/operations/index.ts';
import { defaultLimit, maxLimit } from '../../lib/schemas/query.ts';
import { scopes } from '../../lib/scopes.ts';
import { synthesizeShared } from '../support/petstore.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const guide = read('cdk/openapi/guide.md');

describe('the guide for callers', () => {
  it('has a row for every scope, and says what it implies', () => {
    const rows = [...guide.matchAll(/^\| `petstore\/([\w.]+)` \| (.+) \|$/gm)].map(([, scope, text]) => [scope, text]);
    const implied = [...guide.matchAll(/`petstore\/([\w.]+)` implies `petstore\/([\w.]+)`/g)];
    const texts = rows.map(([scope, text]) => {
      const others = implied.filter(([, wider]) => wider === scope).map(([, , other]) => `implies petstore/${other}`);
      return [scope, [text, ...others].join('; ')];
    });
    expect(texts).toEqual(
      scopes.map(scope => [scope, descriptionOf(scope).replace(/^./, first => first.toLowerCase())]),
    );
  });

  it('shows every header of a webhook', () => {
    const [webhook] = Object.values(document['x-webhooks']);
    for (const { name } of webhook!.post.parameters) expect(guide).toContain(`\n${name}: `);
  });

  it('has a row for every error code and no other', () => {
    const rows = [...guide.matchAll(/^\| (\d{3}) \| `(\w+)` \| .+ \|$/gm)].map(
      ([, status, code]) => `${status} ${code}`,
    );
    const bodies = Object.keys(errors).map(name => toBody(name as keyof typeof errors));
    expect(rows).toEqual([...new Set(bodies.map(({ status, code }) => `${status} ${code}`))]);
  });
});

const { template } = await synthesizeShared({ stage: 'prod' });
const runtimes = new Set(resourcesOf(template, 'AWS::Lambda::Function').map(([, { Runtime }]) => Runtime));
const workflows = globSync('.github/workflows/*.yml', { cwd: root }).filter(file =>
  read(file).includes('node-version'),
);

/**
 * Numbers and words that texts and configurations repeat. Each row: its only source, its value, and the patterns of the sentences that state it, by file. A
 * sentence with another number fails, and so does one that is gone.
 */
const facts: readonly (readonly [
  source: string,
  value: number | string,
  sentences: Readonly<Record<string, readonly RegExp[]>>,
])[] = [
  [
    'lib/key-lifetime.ts',
    keyLifetimeHours,
    {
      'cdk/openapi/guide.md': [/^- For (\S+) hours, the same request with the same key/m],
      '.github/SECURITY.md': [/^\| idempotency records \| (\S+) hours,/m],
    },
  ],
  [
    'cdk/config/limits.ts, recoveryDays',
    recoveryDays,
    {
      'cdk/RUNBOOK.md': [
        /Point-in-time recovery has every second of the last (\S+)\s+days/,
        /^### An error is older than (\S+) days$/m,
        /Point-in-time recovery ends after (\S+) days/,
      ],
      '.github/SECURITY.md': [
        /Point-in-time recovery has the orders for (\S+)\s+days/,
        /^\| every state of the table \| (\S+) days \|/m,
      ],
      'cdk/DECISIONS.md': [/Point-in-time recovery has (\S+) days/],
    },
  ],
  [
    'lib/max-body-bytes.ts',
    maxBodyBytes,
    { 'cdk/openapi/guide.md': [/send at most (\S+) bytes/, /A body is JSON in UTF-8 of at most (\S+) bytes/] },
  ],
  [
    'cdk/config/settings.ts, logRetention',
    settingsOf('prod').logRetention,
    {
      'cdk/RUNBOOK.md': [/logs are kept for (\S+) days by default/],
      '.github/SECURITY.md': [
        /logs have the ids for (\S+) days by\s+default/,
        /^\| logs, with the ids .* \| (\S+) days by default, `logRetention`/m,
      ],
      'cdk/cost/README.md': [/^- Logs: .* for (\S+) days by default/m],
    },
  ],
  ['lib/schemas/query.ts, maxLimit', maxLimit, { 'cdk/openapi/guide.md': [/`limit` \(1 … (\S+), default/] }],
  [
    'lib/schemas/query.ts, defaultLimit',
    defaultLimit,
    { 'cdk/openapi/guide.md': [/`limit` \(1 … \S+ default (\d+)\)/] },
  ],
  [
    'lib/http/common-headers.ts, Access-Control-Allow-Origin',
    commonHeaders['Access-Control-Allow-Origin'].replace('*', 'any'),
    { 'cdk/openapi/guide.md': [/^- Browsers of (\S+) origin may call the API/m] },
  ],
  [
    'cdk/stack/function.ts, runtime',
    [...runtimes].join().replace(/^nodejs(\d+)\.x$/, '$1'),
    {
      'cdk/synthesis/bundle/bundle.ts': [/target: 'node(\d+)'/],
      'test/bench/cold-start.ts': [/const target = 'node(\d+)'/],
      'package.json': [/"node": "(\d+)\./, /"@types\/node": "(\d+)\./],
      '.devcontainer/devcontainer.json': [/javascript-node:(\d+)-/],
      ...Object.fromEntries(workflows.map(file => [file, [/^ +node-version: (\d+)$/m]])),
    },
  ],
  ['cdk/openapi/petstore-client.ts', defaultAttempts, { 'cdk/openapi/guide.md': [/with at most (\S+) attempts/] }],
];
const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

describe('the texts', () => {
  it.each(facts)('state the value of %s: %s', (_, value, sentences) => {
    const written = [value.toLocaleString('en-US'), words[Number(value)]];
    const wrong = Object.entries(sentences).flatMap(([file, patterns]) =>
      patterns.flatMap(pattern => {
        const stated = pattern.exec(read(file))?.[1]?.replace(/,$/, '');
        return written.includes(stated) ? [] : [`${file} states ${stated}: ${pattern}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  const texts = globSync('**/*.md', {
    cwd: root,
    exclude: ['**/node_modules/**', 'cdk.out/**', 'cdk/openapi/guide.md'],
  });

  /** As GitHub derives it from a heading. */
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  const anchorsOf = (file: string) =>
    [
      ...read(file)
        .replace(/^```.*?^```/gms, '')
        .matchAll(/^#+ (.+)$/gm),
    ].map(([, heading]) => anchorOf(heading!));

  it.each(texts)('link from %s to existing files and headings', file => {
    const links = [...read(file).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    const broken = links.filter(([, path, anchor]) => {
      const target = path ? join(file, '..', path) : file;
      return !existsSync(join(root, target)) || (anchor && !anchorsOf(target).includes(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  const partsOf = (pattern: RegExp) => [...new Set(operationIds.map(id => pattern.exec(id)![0]))].join('|');
  const operation = new RegExp(`\\b(?:${partsOf(/^[a-z]+/)})(?:${partsOf(/[A-Z].*$/)})\\b`, 'g');
  const current = [
    ...texts.filter(file => file !== 'CHANGELOG.md'),
    'cdk/openapi/guide.md',
    'cdk/openapi/openapi.json',
  ];

  it.each(current)('name operations in %s that exist', file => {
    const named = new Set<string>(read(file).match(operation));
    expect([...named.difference(new Set(operationIds))]).toEqual([]);
  });

  it.each(texts)('name paths in %s that exist', file => {
    const named = [...read(file).matchAll(/`((?:lib|cdk|functions|test)\/[\w./-]+\.(?:ts|json|md))`/g)].map(
      ([, path]) => path!,
    );
    expect(named.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });
});
