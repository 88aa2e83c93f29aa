import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { limits } from '../../cdk/config/limits.ts';
import { Settings, settingsOf } from '../../cdk/config/settings.ts';

const readme = readFileSync(join(import.meta.dirname, '../../cdk/README.md'), 'utf8');
const [, example] = /<!-- settings example: .* -->\n```ts\n(prod: [^`]*)```/.exec(readme)!;

describe('the settings', () => {
  it('have a docstring each', () => {
    const source = readFileSync(join(import.meta.dirname, '../../cdk/config/settings.ts'), 'utf8');
    const without = Object.keys(Settings.shape).filter(name => !new RegExp(`\\*/\\n  ${name}:`).test(source));
    expect(without).toEqual([]);
  });
});

describe('the settings example of cdk/README.md', () => {
  it('is valid for the stage prod', () => {
    const evaluate = new Function('limits', `return { ${example} };`);
    const { prod } = evaluate(limits) as { prod: Partial<Settings> };
    expect(settingsOf('prod', prod)).toMatchObject(prod);
  });
});
