import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
