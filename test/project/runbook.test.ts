import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { onlyResourceOf, resourcesOf } from '../../cdk/build/template.ts';
import { queries } from '../../cdk/config/log-queries.ts';
import { withOwnTable } from '../../cdk/config/settings.ts';
import manifest from '../../package.json' with { type: 'json' };
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared } from '../support/petstore.ts';

const runbook = readFileSync(join(import.meta.dirname, '../../cdk/RUNBOOK.md'), 'utf8');
const webhooks = {
  one: { url: 'https://example.com/', types: ['petstore.*'], secret: 'petstore-webhook', concurrency: 2 },
};
const settings = { alarms: { email: 'oncall@example.com' }, webhooks };
const { template } = await synthesizeShared({ stage: 'prod', settings: { ...withOwnTable, ...settings } });

type Index = Readonly<Record<'IndexName' | 'KeySchema' | 'Projection', unknown>>;

interface Section {
  readonly heading: string;
  readonly text: string;
}

/** The sections of a text with headings of this level. */
const sectionsOf = (text: string, level: number): Section[] =>
  text
    .split(new RegExp(`^${'#'.repeat(level)} `, 'm'))
    .slice(1)
    .map(section => {
      const [heading, ...lines] = section.split('\n');
      return { heading: heading!, text: lines.join('\n') };
    });

const chapter = (name: string): Section[] =>
  sectionsOf(sectionsOf(runbook, 2).find(({ heading }) => heading === name)!.text, 3);
const alarms = chapter('Alarms');

/** Commands of code blocks, without comments; a backslash joins lines. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/^ *```sh\n(.*?)^ *```/gms)]
    .flatMap(([, block]) => block!.replace(/\\\n\s*/g, '').split('\n'))
    .map(line => line.replace(/ +# .*$/, '').trim())
    .filter(line => line !== '');

/** Every command of npm with its arguments, in code blocks and in sentences. */
const npmCommands = [...commandsIn(runbook), ...[...runbook.matchAll(/`(npm [^`]+)`/g)].map(([, command]) => command!)]
  .map(command => /npm (?:run (?:-s )?([\w:-]+)|(start))(?: -- (.*))?/.exec(command))
  .filter(match => match !== null)
  .map(([, name, start, args = '']) => ({ name: (name ?? start)!, args }));

const namesStage = /--stage |-c stage=/;

describe('an alarm in the runbook', () => {
  it('has a section, in the order of the stack', () => {
    const deployed = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id]) => /^Alarms(\w+)\w{8}$/.exec(id)![1]);
    expect(alarms.map(({ heading }) => heading)).toEqual(deployed);
  });

  it.each(alarms)('$heading has Symptom, Cause, Check, Fix and Verify', ({ text }) => {
    expect(sectionsOf(text, 4).map(({ heading }) => heading)).toEqual(['Symptom', 'Cause', 'Check', 'Fix', 'Verify']);
  });

  it.each(alarms)('$heading has commands with the stage for Check, Fix and Verify, or links to them', ({ text }) => {
    const incidents = chapter('Incidents').map(({ heading }) => `(#${heading.toLowerCase().replaceAll(' ', '-')})`);
    const isComplete = (section: string) =>
      namesStage.test(section) || incidents.some(incident => section.includes(incident));
    const without = sectionsOf(text, 4)
      .slice(2)
      .filter(section => !isComplete(section.text))
      .map(({ heading }) => heading);
    expect(without).toEqual([]);
  });
});

describe('an incident in the runbook', () => {
  it.each(chapter('Incidents'))('$heading has a command with the stage', ({ text }) => {
    expect(text).toMatch(namesStage);
  });
});

describe('the runbook', () => {
  it('lists every heading in its contents', () => {
    const [contents] = sectionsOf(runbook, 2);
    const listed = [...contents!.text.matchAll(/^ {2}- \[(.*)\]/gm)].map(([, heading]) => heading);
    expect(listed).toEqual(
      ['Alarms', 'Incidents', 'Tasks', 'Reference'].flatMap(name => chapter(name).map(({ heading }) => heading)),
    );
  });

  it('uses existing commands', () => {
    expect(npmCommands.length).toBeGreaterThan(50);
    expect(npmCommands.map(({ name }) => name).filter(name => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
  });

  const withOptions = [...new Set(npmCommands.filter(({ args }) => args.includes('--')).map(({ name }) => name))];
  it.each(withOptions)('uses only existing options of npm run %s', async name => {
    const [, script] = /^node (\S+)$/.exec(manifest.scripts[name as keyof typeof manifest.scripts])!;
    const { out } = await runInProcess(script!, ['--help']);
    const given = npmCommands.filter(command => command.name === name).map(({ args }) => args);
    const options = new Set(given.flatMap(args => args.match(/--[a-z][\w-]*/g) ?? []));
    expect([...options].filter(option => !new RegExp(`${option}\\b(?!-)`).test(out))).toEqual([]);
  });

  it('has a script for the definition of an imported table, which the role of operators can change', () => {
    const [, script] = /node -p "(const \{ Resources \}[^"]*)"/.exec(runbook)!;
    const fs = { readFileSync: () => JSON.stringify(template) };
    const definition = JSON.parse(runInNewContext(script!, { fs }));
    const [, { KeySchema, GlobalSecondaryIndexes }] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
    expect(definition).toEqual({
      TableName: expect.stringMatching(/^petstore-\w+-restored-/),
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: expect.arrayContaining([{ AttributeName: 'pk', AttributeType: 'S' }]),
      KeySchema,
      GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(({ IndexName, KeySchema: keys, Projection }: Index) => ({
        ...{ IndexName, KeySchema: keys, Projection },
      })),
    });
    expect(runbook).toContain(`--table ${definition.TableName} --yes`);
  });

  it('uses existing saved queries', () => {
    const named = npmCommands
      .filter(({ name }) => name === 'query')
      .flatMap(({ args }) => args.match(/'[^']+'/g) ?? []);
    const saved = queries.map(({ name }) => `'${name}'`);
    expect(named.filter(name => !saved.includes(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(10);
  });

  it('uses existing stack outputs', () => {
    const ofTheAccount = ['OperatorRoleArn'];
    const named = [...runbook.matchAll(/<([A-Z]\w+)>/g)]
      .map(([, name]) => name!)
      .filter(name => !ofTheAccount.includes(name));
    expect(named.filter(name => !Object.hasOwn(template.Outputs!, name))).toEqual([]);
  });
});
