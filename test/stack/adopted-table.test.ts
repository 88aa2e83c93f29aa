import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AppOptions } from '../../cdk/build/build-app.ts';
import { onlyResourceOf, resourcesOf, type Template } from '../../cdk/build/template.ts';
import { withOwnTable } from '../../cdk/config/settings.ts';
import { indexes } from '../../lib/model/table/indexes.ts';
import { synthesizeShared } from '../support/petstore.ts';

const arn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/petstore-prod-restored';
const streamArn = `${arn}/stream/2026-11-21T10:00:00.000`;
const adopted = { adoptedTable: { arn, streamArn, generation: 2 }, eventsGeneration: 2 };

const synth = async (settings: AppOptions['settings'], stage = 'prod'): Promise<Template> =>
  (await synthesizeShared({ stage, settings: { ...withOwnTable, ...settings } })).template;

describe('a stage that adopts a table', () => {
  const own = synth({});
  const other = synth(adopted);

  it('retains its own table, unchanged and protected, for a rollback', async () => {
    const [id] = onlyResourceOf(await own, 'AWS::DynamoDB::GlobalTable');
    const retained = (await other).Resources[id];
    expect(retained).toEqual((await own).Resources[id]);
    expect(retained).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(retained?.Properties.Replicas).toEqual([expect.objectContaining({ DeletionProtectionEnabled: true })]);
  });

  it('does not refer to its own table: no permission, stream, metric or environment variable has it', async () => {
    const [id] = onlyResourceOf(await own, 'AWS::DynamoDB::GlobalTable');
    const watched = { ...adopted, alarms: { email: 'oncall@example.com' }, dashboard: true };
    for (const template of [await other, await synth(watched)]) {
      const { [id]: _, ...rest } = template.Resources;
      expect(JSON.stringify([rest, template.Outputs])).not.toContain(`"${id}"`);
    }
  });

  it('reads the stream of the adopted table from the beginning, in another generation', async () => {
    const [, mapping] = onlyResourceOf(await other, 'AWS::Lambda::EventSourceMapping');
    expect(mapping).toMatchObject({ EventSourceArn: streamArn, StartingPosition: 'TRIM_HORIZON' });
    const generations = resourcesOf(await other, 'AWS::Lambda::Function').flatMap(
      ([, { Environment }]) => Environment.Variables.EVENTS_GENERATION ?? [],
    );
    expect(generations).toEqual(['2']);
  });

  it('differs from the original stack only in table, stream and generation', async () => {
    const [id] = onlyResourceOf(await own, 'AWS::DynamoDB::GlobalTable');
    const { Resources, Outputs } = await own;
    const named = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(named);
      if (value === null || typeof value !== 'object') return value;
      const { Ref: ref, 'Fn::GetAtt': attribute, 'Fn::Join': joined } = value as Record<string, unknown>;
      if (ref === id) return 'petstore-prod-restored';
      if (String(attribute) === `${id},Arn`) return arn;
      if (String(attribute) === `${id},StreamArn`) return streamArn;
      if (Array.isArray(joined) && String(joined[1]?.[0]?.['Fn::GetAtt']) === `${id},Arn`) return arn + joined[1][1];
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, key === 'EVENTS_GENERATION' ? '2' : named(inner)]),
      );
    };
    const expected = JSON.parse(JSON.stringify(named({ Resources, Outputs })));
    expected.Outputs.EventsGeneration.Value = '2';
    const found = { Resources: (await other).Resources, Outputs: (await other).Outputs };
    // A deployment's logical id is a digest of the API, and the API of the functions; nothing of it differs here.
    expect(found).toEqual(expected);
  });

  it('allows its functions to query the indexes of the adopted table', async () => {
    const resources = JSON.stringify(resourcesOf(await other, 'AWS::IAM::Policy'));
    for (const { name } of indexes) expect(resources).toContain(`${arn}/index/${name}`);
  });

  it('needs no stream without events', async () => {
    const template = await synth({ adoptedTable: { arn, generation: 2 }, eventsGeneration: 2, events: false });
    expect(JSON.stringify(resourcesOf(template, 'AWS::IAM::Policy'))).toContain(`"${arn}"`);
    expect(resourcesOf(template, 'AWS::Lambda::EventSourceMapping')).toEqual([]);
  });

  it('does not fail other tests: each test that synthesizes prod passes withOwnTable', () => {
    const root = join(import.meta.dirname, '..');
    const calls = globSync('**/*.ts', { cwd: root })
      .flatMap(file => [...readFileSync(join(root, file), 'utf8').matchAll(/synthesize(?:Shared)?\(\{[^;]*?\}\)/g)])
      .map(([call]) => call)
      .filter(call => call.includes('stage') && !/stage: '(local|beta|dev)'/.test(call));
    expect(calls.length).toBeGreaterThan(5);
    expect(calls.filter(call => !call.includes('withOwnTable'))).toEqual([]);
  });

  it.each<[string, AppOptions['settings'], string]>([
    [
      'with the first generation',
      { adoptedTable: { arn, streamArn, generation: 1 }, eventsGeneration: 1 },
      'adoptedTable.generation: expected an integer from 2 to 9999, got 1',
    ],
    [
      'with the generation of the table that it adopted before',
      { ...adopted, adoptedTable: { arn, streamArn, generation: 3 } },
      'adoptedTable.generation: expected the same number as eventsGeneration, 2. Raise both by one, got 3',
    ],
    [
      'with another generation than eventsGeneration',
      { ...adopted, eventsGeneration: 3 },
      'adoptedTable.generation: expected the same number as eventsGeneration, 3. Raise both by one, got 2',
    ],
    [
      'with the stream of another table',
      { ...adopted, adoptedTable: { arn, streamArn: `${arn}2/stream/x`, generation: 2 } },
      `adoptedTable.streamArn: expected the ARN of the table's own stream, such as ${arn}/stream/2026-11-21T10:00:00.000, got "${arn}2/stream/x"`,
    ],
    [
      'with events and without a stream',
      { adoptedTable: { arn, generation: 2 }, eventsGeneration: 2 },
      `adoptedTable.streamArn: expected the ARN of the table's stream, such as ${arn}/stream/2026-11-21T10:00:00.000, because \`events\` is on, got nothing`,
    ],
    [
      'with a name instead of an ARN',
      { ...adopted, adoptedTable: { arn: 'restored', streamArn: 'restored/stream/x', generation: 2 } },
      'adoptedTable.arn: expected a value such as arn:aws:dynamodb:eu-west-1:123456789012:table/restored, got "restored"',
    ],
  ])('fails the synthesis %s', async (_, settings, message) => {
    await expect(synth(settings)).rejects.toThrow(message);
  });
});
