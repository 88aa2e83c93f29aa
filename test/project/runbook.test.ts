import { globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accountOptionNames } from '../../cdk/config/account-options.ts';
import { queries } from '../../cdk/config/log-queries.ts';
import { evaluate, resourcesOf } from '../../cdk/synthesis/template.ts';
import manifest from '../../package.json' with { type: 'json' };
import { synthesizeAccount } from '../stack/synthesize-account.ts';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared } from '../support/petstore.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const runbook = read('cdk/RUNBOOK.md');
/** The texts with commands for a stage. */
const files =
  'README.md cdk/RUNBOOK.md cdk/TASKS.md cdk/README.md lib/events/README.md .github/SECURITY.md';
const texts = files.split(' ').map(read).join('\n');
const webhook = {
  url: 'https://example.com/',
  types: ['petstore.*'],
  secret: 'petstore-webhook',
  concurrency: 2,
};
const settings = {
  accessLog: true,
  alarms: { email: 'oncall@example.com' },
  webhooks: { one: webhook },
};
const { template } = await synthesizeShared({ stage: 'prod', settings });

/** The entries of this chapter, each with its heading. */
const entriesOf = (name: string): string[] => {
  const chapter = runbook.split(/^## /m).find(text => text.startsWith(`${name}\n`))!;
  return chapter.split(/^### /m).slice(1);
};

/** What a pattern captures in the texts. */
const named = (pattern: RegExp, ...given: string[]): string[] =>
  given.flatMap(text => Array.from(text.matchAll(pattern), ([, found]) => found!));

const spans = named(/`((?:npm|aws|npx cdk) [^`]+)`/g, texts).map(span => span.replace(/\s+/g, ' '));
/** Of shell blocks. A backslash at the end joins two lines. */
const lines = named(/^ *```sh\n(.*?)^ *```/gms, texts).flatMap(block =>
  block.replace(/\\\n\s*/g, '').split('\n'),
);
const commands = [
  ...lines.map(line => line.replace(/ +# .*$/, '').trim()).filter(line => line !== ''),
  ...spans,
];
const cdkLines = commands.flatMap(line => line.match(/npx cdk [^|;&$]*/g) ?? []);

/** In code blocks and in sentences, with their arguments. */
const npmCommands = commands
  .flatMap(command => [
    ...command.matchAll(/npm (?:run (?:-s )?([\w:-]+)|(start))(?: -- ([^|]*))?/g),
  ])
  .map(([, name, start, args = '']) => ({ name: (name ?? start)!, args }));

describe('the texts for operators', () => {
  it('have an entry for each alarm, in the order of the stack, with whether it can wait, the first command and every figure of its email', () => {
    const templates = [template, synthesizeAccount().template];
    const alarms = templates.flatMap(each => resourcesOf(each, 'AWS::CloudWatch::Alarm'));
    const entries = entriesOf('Alarms').map(entry => entry.replace(/\s+/g, ' '));
    const nameOf = (id: string) =>
      id.slice('Alarms'.length, -8).replace(/(?<=RequestsFailing).*/, '');
    const byName = new Map(entries.map(entry => [entry.split(' ')[0], entry]));
    expect([...byName.keys()]).toEqual([...new Set(alarms.map(([id]) => nameOf(id)))]);
    for (const [id, { AlarmDescription }] of alarms) {
      const [, wait, command] =
        /^(.*?): .* First: (.*) Then: /.exec(evaluate(AlarmDescription)) ?? [];
      const figures =
        evaluate(AlarmDescription).match(/[\d.]+(?:%| seconds| minutes| hours| requests)/g) ?? [];
      for (const part of [wait, command, ...figures])
        expect(byName.get(nameOf(id)), id).toContain(part);
    }
  });

  it('have entries of three parts: what it means in two lines, what to do, and when it is over', () => {
    const parts = /^.+\n\*Means\*: (?:.+\n){1,2}\n\*Do\*.*:[\s\S]*\n\*Over when\*:/;
    const wrong = [...entriesOf('Alarms'), ...entriesOf('Incidents')].filter(
      entry => !parts.test(entry),
    );
    expect(wrong.map(entry => entry.split('\n\n')[0])).toEqual([]);
  });

  it.each([
    'N mismatches',
    'N items, N differences',
    'Republishing takes at most N events',
    'N items: N events published, N failed.',
    'nothing was changed',
    'N pets are in held.xlsx.',
    'Writes: paused',
    ', last result: ',
    ' FAILED',
  ])('quote the output %j of a command', output => {
    const printed = globSync('{cdk/commands,test/stage}/**/*.ts', { cwd: root })
      .map(read)
      .join('\n');
    expect(texts.replaceAll(/\d+/g, 'N')).toContain(output);
    const fixed = output.split(/N|Writes: |held\.xlsx/);
    expect(fixed.filter(part => !printed.includes(part))).toEqual([]);
  });

  it('export to files that Git ignores', () => {
    const transfers = npmCommands.filter(({ name }) => /^(?:ex|im)port$/.test(name));
    const files = transfers.flatMap(({ args }) => args.match(/^\S+/) ?? []);
    const ignored = read('.gitignore').split('\n');
    expect(files.length).toBeGreaterThan(2);
    for (const file of files)
      expect([file.includes('/'), ignored]).toEqual([
        false,
        expect.arrayContaining([`/*${extname(file)}`]),
      ]);
  });

  const queried = npmCommands.filter(({ name }) => name === 'query').map(({ args }) => args);
  const outputs = ['OperatorRoleArn', 'DeployRoleArn', ...Object.keys(template.Outputs!)];
  const context = ['stage', 'userPoolArn', 'tokenUrl', ...accountOptionNames];
  it.each([
    ['npm scripts', 50, npmCommands.map(({ name }) => name), Object.keys(manifest.scripts)],
    ['saved queries', 10, named(/'([^']+)'/g, ...queried), queries.map(({ name }) => name)],
    ['stack outputs', 5, named(/<([A-Z]\w+)>/g, texts), ['CamelCase', ...outputs]],
    ['context of the CDK app', 5, named(/ -c (\w+)=/g, ...cdkLines), context],
  ])('use existing %s', (_, least, names, known) => {
    expect(names.length).toBeGreaterThan(least);
    expect(names.filter(name => !known.includes(name))).toEqual([]);
  });

  it('have placeholders that are not valid, because an example could name a stranger', () => {
    const given = named(/ -c (?:repository|email|oidcProviderArn)=([^`\s]+)/g, texts);
    expect(given.length).toBeGreaterThan(2);
    expect(given.filter(value => !/^<.+>$/.test(value))).toEqual([]);
    expect(lines.filter(line => /\b\d{12}\b|@\w+\.com/.test(line))).toEqual([]);
  });

  const withOptions = npmCommands.filter(({ args }) => args.includes('--'));
  const byName = Map.groupBy(withOptions, ({ name }) => name);
  it.each([...byName])('use existing options of npm run %s', async (name, given) => {
    const [, script] = /^node (\S+)$/.exec(
      manifest.scripts[name as keyof typeof manifest.scripts],
    )!;
    const { out } = await runInProcess(script!, ['--help']);
    const options = given.flatMap(({ args }) => args.match(/--[a-z][\w-]*/g) ?? []);
    expect(options.filter(option => !new RegExp(`${option}\\b(?!-)`).test(out))).toEqual([]);
  });

  it('use existing operations and options of the AWS CLI', async () => {
    /** SDK clients that are dependencies, by the service's name in the AWS CLI. */
    const clients = new Map<string, string>();
    for (const folder of globSync('node_modules/@aws-sdk/client-*/dist-es', { cwd: root })) {
      const [, service] = /defaultSigningName: "(.*)"/.exec(
        read(`${folder}/endpoint/EndpointParameters.js`),
      )!;
      clients.set(service!, join(root, folder));
    }
    const all = commands.flatMap(line => [...line.matchAll(/\baws ([a-z-]+) ([a-z-]+)([^|;)]*)/g)]);
    const calls = all.filter(([, service]) => clients.has(service!));
    expect(calls.length).toBeGreaterThan(20);
    for (const [call, service, name, rest] of calls) {
      const schemas = await import(`${clients.get(service!)}/schemas/schemas_0.js`);
      const operation = `${name!.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}$`;
      expect(Object.keys(schemas), call).toContain(operation);
      const members: string[] = schemas[operation][4]()[4] ?? [];
      const known = [
        'query',
        'output',
        'region',
        'paginate',
        ...members.map(member => member.toLowerCase()),
      ];
      // `--no-x` sets a member to false.
      const options = named(/ --(?:no-)?([a-z][a-z0-9-]*)/g, rest!);
      const unknown = options.filter(option => !known.includes(option.replaceAll('-', '')));
      expect(unknown, call).toEqual([]);
    }
  });

  it('use existing options of the CDK', () => {
    expect(cdkLines.length).toBeGreaterThan(10);
    const cdk = JSON.parse(read('node_modules/aws-cdk/lib/cli/cli-type-registry.json'));
    const unknown = cdkLines.filter(line => {
      const options = { ...cdk.globalOptions, ...cdk.commands[line.split(' ')[2]!].options };
      return named(/ --([a-z-]+)/g, line).some(option => !Object.hasOwn(options, option));
    });
    expect(unknown).toEqual([]);
  });
});
