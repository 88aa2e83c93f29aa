import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { buildApp } from '../../cdk/build/build-app.ts';
import { synthesize } from '../../cdk/build/synthesize.ts';
import { Settings } from '../../cdk/config/settings.ts';
import { costlySettings } from '../../cdk/cost/tables.ts';
import { sharedBundles, startPetstore, synthesizeShared } from '../support/petstore.ts';
import { stages } from '../support/stages.ts';
import { adopted, everything, least } from './settings.ts';
import { options, synthesizeAccount } from './synthesize-account.ts';

/** Both packs of cdk-nag, and CloudFormation's validation. A finding that is not acknowledged fails it. */
const validated = (settings: Partial<Settings>) =>
  synthesize({ stage: 'prod', stages, settings, bundles: sharedBundles(), validate: true });

it('settings.ts has a value for every setting, except those that every stage has', () => {
  const { shape } = Settings;
  const optional = Object.keys(shape).filter(name => shape[name as keyof typeof shape].safeParse(undefined).success);
  const given = Object.keys({ ...everything, ...least, ...adopted });
  expect(optional.filter(name => !given.includes(name))).toEqual([]);
  const costly = Object.values(costlySettings()).flatMap(Object.keys);
  expect(costly.filter(name => !given.includes(name))).toEqual([]);
});

describe('validation', () => {
  it.each<[string, Partial<Settings>, most: number]>([
    ['the default settings', {}, 400],
    ['everything', everything, 450],
    ['the least', least, 400],
    ['everything with an adopted table', { ...everything, ...adopted }, 450],
  ])('accepts %s, with few resources', async (_, settings, most) => {
    const { template } = await validated(settings);
    expect(Object.keys(template.Resources).length).toBeLessThan(most);
  });

  it('accepts the stack of an account', () => expect(() => synthesizeAccount(options, true)).not.toThrow());

  it('rejects a finding that is not acknowledged', async () => {
    const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));
    const of = { stage: 'prod', stages, bundles: sharedBundles() };
    const app = await buildApp({ ...of, validate: true, context });
    new Topic(app.node.children[0] as Stack, 'Unencrypted');
    expect(() => app.synth()).toThrow();
  });
});

it('the local server serves a stage with everything', async () => {
  const { account: _, region: __, ...rest } = everything;
  const assembly = await synthesizeShared({ stage: 'local', settings: rest });
  const petstore = await startPetstore({ assembly });
  const { status, headers, body } = await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
  expect([status, headers.get('Location')]).toEqual([201, `${everything.publicUrl}/pets/categories/${body.id}`]);
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'shop', client_secret: 'local' });
  const token = await fetch(petstore.tokenUrl, { method: 'POST', body: form });
  expect(await token.json()).toMatchObject({ expires_in: everything.tokenLifetime * 60 });
  await petstore.stop();
});
