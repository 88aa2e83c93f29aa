import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../cdk/config/settings.ts';
import { errors, toBody } from '../../lib/errors.ts';

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

describe('the limits in cdk/cost/README.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../cdk/cost/README.md'), 'utf8');
  const [, limits] = /\| Limit \| Load .*\n.*\n((?:\|.*\n)+)/.exec(text)!;
  const rows = limits!
    .trim()
    .split('\n')
    .map(row => row.split(' | '));
  const numberIn = (cell: string) => Number(cell.replaceAll(',', ''));
  const loadOf = (limit: string) => numberIn(rows.find(([name]) => name!.includes(limit))![1]!);

  it('have the loads of the worst-case month', () => {
    const bound = (pattern: RegExp) => Number(pattern.exec(text)![1]);
    expect(loadOf('Requests to API Gateway')).toBe(bound(/throttles of \d+ methods: (\d+) requests a second/));
    // A function has 1 GB, so each GB-second is a second of concurrency.
    expect(loadOf('Lambda concurrency')).toBe(bound(/until its timeout: (\d+) GB-seconds a second/));
    expect(settingsOf('prod').functionMemory).toBe(1024);
  });

  it('are in the order of the ratio of limit and load', () => {
    const ratios = rows.map(([, , , ratio]) => Number(ratio!.slice(2)));
    expect(ratios).toEqual([...ratios].sort((a, b) => a - b));
    for (const [name, load, limit, ratio] of rows)
      expect(Math.abs(numberIn(limit!) / numberIn(load!) - Number(ratio!.slice(2))), name).toBeLessThan(1);
  });
});

describe('the texts', () => {
  const root = join(import.meta.dirname, '../..');
  const texts = globSync('**/*.md', {
    cwd: root,
    exclude: ['**/node_modules/**', 'cdk.out/**', 'cdk/openapi/guide.md'],
  });
  const read = (file: string) => readFileSync(join(root, file), 'utf8');

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

  it.each(texts)('name paths in %s that exist', file => {
    const named = [...read(file).matchAll(/`((?:lib|cdk|functions|test)\/[\w./-]+\.(?:ts|json|md))`/g)].map(
      ([, path]) => path!,
    );
    expect(named.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });
});
