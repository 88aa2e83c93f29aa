import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Settings } from '../../cdk/config/settings.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { difference, type Golden, goldenOf, whole } from './golden.ts';
import { adopted, everything, least } from './settings.ts';
import { options, synthesizeAccount } from './synthesize-account.ts';

const golden = async (stage: string, settings: Partial<Settings> = {}): Promise<Golden> =>
  goldenOf((await synthesizeShared({ stage, settings })).template, stage);

/** Names the resources that differ. `npm run generate` writes the file. */
const expectGolden = async (name: string, text: string): Promise<void> => {
  const file = join(import.meta.dirname, `golden/${name}.txt`);
  const blocks = (of: string) => new Set(of.split(/\n(?=\S)/));
  const [known, found] = [
    blocks(existsSync(file) ? readFileSync(file, 'utf8') : ''),
    blocks(text.trimEnd()),
  ];
  const changed = [...known, ...found].filter(block => !(known.has(block) && found.has(block)));
  const names = changed.map(block => block.split('\n')[0]);
  const message = `The template changed: ${[...new Set(names)].join(', ')}. If you mean it: npm run generate, and explain it`;
  await expect(text, message).toMatchFileSnapshot(file);
};

const prod = await golden('prod');
const all = await golden('prod', everything);
const dashboard = [...all].filter(([name]) => name.includes('::Dashboard '));
const others = [...all].filter(([name]) => !name.includes('::Dashboard '));

it('the golden texts show every setting that adds or changes resources', () => {
  const others =
    'limits defaultThrottle maxRequestUnits worstMonthCap warmUp clients lifeCycle keepsData terminationProtection';
  const shown = Object.keys({ ...everything, ...least, ...adopted });
  const add = 'test/stack/settings.ts: add a value of the setting to `everything`';
  expect([...shown, ...others.split(' ')], add).toEqual(
    expect.arrayContaining(Object.keys(Settings.shape)),
  );
});

it('prod has these resources', () => expectGolden('prod', whole(prod)));

it.each(['dev', 'beta'])('%s differs from prod', async stage =>
  expectGolden(stage, difference(prod, await golden(stage))),
);

it('everything differs from prod', () =>
  expectGolden('everything', difference(prod, new Map(others))));

it('the dashboard has these widgets', () => expectGolden('dashboard', whole(new Map(dashboard))));

it('the least differs from prod', async () =>
  expectGolden('least', difference(prod, await golden('prod', least))));

it('an account has these resources', () => {
  const { repository } = options;
  const oidcProviderArn =
    'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com';
  const [full, borrowing] = [options, { repository, oidcProviderArn, logRole: 'keep' }].map(given =>
    goldenOf(synthesizeAccount(given).template, 'account'),
  );
  const heading = 'With a provider and a role for logs that exist, without a budget:';
  return expectGolden('account', `${whole(full!)}${heading}\n${difference(full!, borrowing!)}`);
});
