import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { synthesise } from '../cdk/assembly/synthesise.ts';
import { costTable } from '../cdk/cost/cost.ts';
import { commandsTable } from '../cdk/tables/commands.ts';
import { withTable } from '../cdk/tables/marked.ts';
import { operationsTable } from '../cdk/tables/operations.ts';
import { errors, toBody } from '../lib/errors.ts';
import { hasCommand } from './support/has-command.ts';
import { sharedBundles, usePetstore } from './support/petstore.ts';

const petstore = usePetstore();
const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

describe('the README', () => {
  it.skipIf(!hasCommand('curl') || !hasCommand('bash'))('shows lines that answer as printed', async () => {
    const block = /<!-- try:.*?```sh\n(.*?)```/s.exec(readme)![1]!;
    const commands = [...block.matchAll(/^\$ (.*)$/gm)].map(([, command]) => command!);
    const printed = block.replace(/^\$ .*\n/gm, '');
    const script = commands.join('\n').replaceAll('http://127.0.0.1:3000', petstore.url);
    const { stdout } = await promisify(execFile)('bash', ['-c', script]);
    expect(stdout.replace(/"(id|petId|categoryId)":\d+/g, '"$1":…')).toBe(printed);
  });

  it('names every error code under its status', () => {
    const table = readme.slice(readme.indexOf('### Errors'), readme.indexOf('They are checked in this order'));
    for (const name of Object.keys(errors) as (keyof typeof errors)[]) {
      const { code, status } = toBody(name);
      const row = table.split('\n').find(line => line.startsWith('|') && line.split('|')[1]!.includes(String(status)));
      expect(row, `${status}`).toContain(`\`${code}\``);
    }
  });
});

describe('a generated table', () => {
  const tables: [file: string, name: string, make: () => string | Promise<string>][] = [
    ['README.md', 'operations', operationsTable],
    ['README.md', 'commands', commandsTable],
    ['cdk/README.md', 'cost', async () => costTable(await synthesise({ stage: 'prod', bundles: sharedBundles() }))],
  ];
  it.each(tables)('of %s is what the code says: %s', async (file, name, make) => {
    const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
    expect(withTable(text, name, await make()), 'the table is stale: npm run tables').toBe(text);
  });
});

describe('the texts', () => {
  const texts = ['README.md', 'lib/model/README.md', 'cdk/README.md', 'test/README.md', '.github/CONTRIBUTING.md'];

  it.each(texts)('lead from %s to files that are there', file => {
    const folder = join(import.meta.dirname, '..', file, '..');
    const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path!);
    expect(links.filter(path => !existsSync(join(folder, path)))).toEqual([]);
  });

  it.each(texts)('name paths in %s that exist', file => {
    const root = join(import.meta.dirname, '..');
    const text = readFileSync(join(root, file), 'utf8');
    const named = [...text.matchAll(/`((?:lib|cdk|functions|test)\/[\w./-]+\.(?:ts|json|md))`/g)].map(
      ([, path]) => path!,
    );
    expect(named.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });
});
