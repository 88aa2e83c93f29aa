import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandsTable, operateTable, workTable } from '../../cdk/commands/docs/commands.ts';
import { withTable } from '../../cdk/commands/docs/markdown-table.ts';
import { operationsTable } from '../../cdk/commands/docs/operations.ts';
import { withOwnTable } from '../../cdk/config/settings.ts';
import { costTable, settingsTable } from '../../cdk/cost/tables.ts';
import { errors, toBody } from '../../lib/errors.ts';
import { sharedBundles, synthesizeShared } from '../support/petstore.ts';

const guide = readFileSync(join(import.meta.dirname, '../../cdk/openapi/guide.md'), 'utf8');

describe('the guide for callers', () => {
  it('has a row for every error code and no other', () => {
    const rows = [...guide.matchAll(/^\| (\d{3}) \| `(\w+)` \| .+ \|$/gm)].map(
      ([, status, code]) => `${status} ${code}`,
    );
    const bodies = Object.keys(errors).map(name => toBody(name as keyof typeof errors));
    expect(rows).toEqual([...new Set(bodies.map(({ status, code }) => `${status} ${code}`))]);
  });
});

describe('a generated table', () => {
  const prod = () => synthesizeShared({ stage: 'prod', settings: withOwnTable });
  const tables: [file: string, name: string, make: () => string | Promise<string>][] = [
    ['README.md', 'operations', operationsTable],
    ['README.md', 'commands', commandsTable],
    ['cdk/RUNBOOK.md', 'commands', operateTable],
    ['.github/CONTRIBUTING.md', 'commands', workTable],
    ['cdk/README.md', 'cost', async () => costTable(await prod())],
    ['cdk/README.md', 'settings', () => settingsTable({ stage: 'prod', bundles: sharedBundles() })],
  ];
  it.each(tables)('in %s is up to date: %s', async (file, name, make) => {
    const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
    expect(withTable(text, name, await make()), 'the table is stale: npm run docs').toBe(text);
  });
});

describe('the texts', () => {
  const texts = [
    'README.md',
    'lib/model/README.md',
    'cdk/README.md',
    'cdk/RUNBOOK.md',
    'test/README.md',
    '.github/CONTRIBUTING.md',
  ];

  it.each(texts)('link from %s to existing files', file => {
    const folder = join(import.meta.dirname, '../..', file, '..');
    const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path!);
    expect(links.filter(path => !existsSync(join(folder, path)))).toEqual([]);
  });

  it.each(texts)('name paths in %s that exist', file => {
    const root = join(import.meta.dirname, '../..');
    const text = readFileSync(join(root, file), 'utf8');
    const named = [...text.matchAll(/`((?:lib|cdk|functions|test)\/[\w./-]+\.(?:ts|json|md))`/g)].map(
      ([, path]) => path!,
    );
    expect(named.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });
});
