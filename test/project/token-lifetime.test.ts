import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const files = globSync(['*.md', '{cdk,lib,functions,.github}/**/*.{ts,md,js,html}'], { cwd: root });

/** A token and a number of hours or a day, within one paragraph. */
const stated =
  /\btokens?\b(?:(?!\n\s*\n)[^|]){0,150}?(?:\b24 hours|\ba day\b)|\b24 hours(?:(?!\n\s*\n)[^|]){0,80}?\btokens?\b/gi;

describe('the lifetime of an access token', () => {
  it('is only in its setting; texts refer to `expires_in`, because a stage can change it', () => {
    const found = files.flatMap(file => {
      const matches = readFileSync(join(root, file), 'utf8').match(stated) ?? [];
      return matches.map(text => `${file}: ${text}`);
    });
    expect(files.length).toBeGreaterThan(200);
    expect(found).toEqual([]);
  });
});
