import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { accountOptionNames } from '../../cdk/config/account-options.ts';
import { queries } from '../../cdk/config/log-queries.ts';
import { evaluate, onlyResourceOf, resourcesOf } from '../../cdk/synthesis/template.ts';
import manifest from '../../package.json' with { type: 'json' };
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared } from '../support/petstore.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const runbook = read('cdk/RUNBOOK.md');
/** All texts that contain commands for a stage. */
const files = 'README.md cdk/RUNBOOK.md cdk/TASKS.md cdk/README.md lib/events/README.md .github/SECURITY.md';
const texts = files.split(' ').map(read).join('\n');
const webhook = { url: 'https://example.com/', types: ['petstore.*'], secret: 'petstore-webhook', concurrency: 2 };
const settings = { accessLog: true, alarms: { email: 'oncall@example.com' }, webhooks: { one: webhook } };
const { template } = await synthesizeShared({ stage: 'prod', settings });

/** Services whose name in the AWS CLI differs from the name of their SDK client. */
const clients: Readonly<Record<string, string>> = {
  'cognito-idp': 'cognito-identity-provider',
  events: 'eventbridge',
  logs: 'cloudwatch-logs',
  secretsmanager: 'secrets-manager',
};
/** These options exist for every command of the AWS CLI. */
const globalOptions = ['query', 'output', 'region', 'no-paginate'];

/** The entries of this chapter. Each begins with its heading. */
const entriesOf = (name: string): string[] => {
  const chapter = runbook.split(/^## /m).find(text => text.startsWith(`${name}\n`))!;
  return chapter.split(/^### /m).slice(1);
};

/** All texts that a pattern captures in the given texts. */
const named = (pattern: RegExp, ...given: string[]): string[] =>
  given.flatMap(text => Array.from(text.matchAll(pattern), ([, found]) => found!));

const spans = named(/`((?:npm|aws|npx cdk) [^`]+)`/g, texts).map(span => span.replace(/\s+/g, ' '));
/** The lines of shell blocks. A line that ends with a backslash is joined with the next line. */
const lines = named(/^ *```sh\n(.*?)^ *```/gms, texts).flatMap(block => block.replace(/\\\n\s*/g, '').split('\n'));
const commands = [...lines.map(line => line.replace(/ +# .*$/, '').trim()).filter(line => line !== ''), ...spans];
const cdkLines = commands.flatMap(line => line.match(/npx cdk [^|;&$]*/g) ?? []);

/** The AWS CLI commands of services whose SDK client is a dependency, with the schemas file of that client. */
const awsLines = commands
  .flatMap(line => [...line.matchAll(/\baws ([a-z-]+) ([a-z-]+)([^|;)]*)/g)])
  .map(([, service, operation, rest]) => ({
    schemas: join(root, `node_modules/@aws-sdk/client-${clients[service!] ?? service}/dist-es/schemas/schemas_0.js`),
    operation: operation!.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
    options: named(/ --([a-z][a-z0-9-]*)/g, rest!),
  }))
  .filter(({ schemas }) => existsSync(schemas));

/** All npm commands in code blocks and in sentences, with their arguments. */
const npmCommands = commands
  .flatMap(command => [...command.matchAll(/npm (?:run (?:-s )?([\w:-]+)|(start))(?: -- ([^|]*))?/g)])
  .map(([, name, start, args = '']) => ({ name: (name ?? start)!, args }));

describe('the texts for operators', () => {
  it('have a section for each alarm, in the order of the stack', () => {
    const deployed = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id]) => /^Alarms(\w+)\w{8}$/.exec(id)![1]);
    expect(entriesOf('Alarms').map(entry => entry.split('\n')[0])).toEqual(deployed);
  });

  it('have every figure of the email of an alarm', () => {
    const missing = resourcesOf(template, 'AWS::CloudWatch::Alarm').flatMap(([id, { AlarmDescription }]) => {
      const entry = entriesOf('Alarms').find(text => id.startsWith(`Alarms${text.split('\n')[0]}`))!;
      const figures: string[] = evaluate(AlarmDescription).match(/[\d.]+(?:%| seconds| minutes| hours)/g) ?? [];
      return figures.filter(figure => !entry.replace(/\s+/g, ' ').includes(figure)).map(figure => [id, figure]);
    });
    expect(missing, 'cdk/RUNBOOK.md').toEqual([]);
  });

  it('have entries of three parts: what it means in two lines, what to do, and when it is over', () => {
    const parts = /^.+\n\*Means\*: (?:.+\n){1,2}\n\*Do\*.*:[\s\S]*\n\*Over when\*:/;
    const wrong = [...entriesOf('Alarms'), ...entriesOf('Incidents')].filter(entry => !parts.test(entry));
    expect(wrong.map(entry => entry.split('\n\n')[0])).toEqual([]);
  });

  it.each([
    'N mismatches, N uncertain',
    'N items, N differences',
    'Republishing takes at most N events',
    'N items: N events published, N failed.',
    'nothing was changed',
    'N pets are in held.csv.',
    'Writes: paused',
    ', last result: ',
    ' FAILED',
  ])('quote the output %j of a command', output => {
    const printed = globSync('{cdk/commands,test/stage}/**/*.ts', { cwd: root }).map(read).join('\n');
    expect(texts.replaceAll(/\d+/g, 'N')).toContain(output);
    const fixed = output.split(/N|Writes: |held\.csv/);
    expect(fixed.filter(part => !printed.includes(part))).toEqual([]);
  });

  const queried = npmCommands.filter(({ name }) => name === 'query').map(({ args }) => args);
  const outputs = ['OperatorRoleArn', 'DeployRoleArn', ...Object.keys(template.Outputs!)];
  const context = ['stage', 'userPoolArn', 'tokenUrl', ...accountOptionNames];
  it.each([
    ['npm scripts', 50, npmCommands.map(({ name }) => name), Object.keys(manifest.scripts)],
    ['saved queries', 10, named(/'([^']+)'/g, ...queried), queries.map(({ name }) => name)],
    ['stack outputs', 5, named(/<([A-Z]\w+)>/g, texts), outputs],
    ['context of the CDK app', 5, named(/ -c (\w+)=/g, ...cdkLines), context],
  ])('use existing %s', (_, least, names, known) => {
    expect(names.length).toBeGreaterThan(least);
    expect(names.filter(name => !known.includes(name))).toEqual([]);
  });

  const withOptions = [...new Set(npmCommands.filter(({ args }) => args.includes('--')).map(({ name }) => name))];
  it.each(withOptions)('use only existing options of npm run %s', async name => {
    const [, script] = /^node (\S+)$/.exec(manifest.scripts[name as keyof typeof manifest.scripts])!;
    const { out } = await runInProcess(script!, ['--help']);
    const given = npmCommands.filter(command => command.name === name).map(({ args }) => args);
    const options = new Set(given.flatMap(args => args.match(/--[a-z][\w-]*/g) ?? []));
    expect([...options].filter(option => !new RegExp(`${option}\\b(?!-)`).test(out))).toEqual([]);
  });

  it('use existing operations and options of the AWS CLI', async () => {
    expect(awsLines.length).toBeGreaterThan(20);
    for (const { schemas, operation, options } of awsLines) {
      const { [`${operation}$`]: model } = await import(schemas);
      const members: string[] = model?.[4]()[4] ?? [];
      const known = [...members.map(name => name.toLowerCase()), ...globalOptions];
      // `--no-x` sets the member `x` to false.
      const names = options.filter(name => !globalOptions.includes(name)).map(name => name.replace(/^no-/, ''));
      const unknown = names.filter(name => !known.includes(name.replaceAll('-', '')));
      expect(unknown, `${schemas} ${operation}`).toEqual([]);
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

  it('have a script for the definition of an imported table, which the role of operators can change', () => {
    const [, script] = /node -p "(const \{ Resources \}[^"]*)"/.exec(runbook)!;
    const fs = { readFileSync: () => JSON.stringify(template) };
    const definition = JSON.parse(runInNewContext(script!, { fs }));
    const [, { KeySchema, GlobalSecondaryIndexes }] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
    const { GlobalSecondaryIndexes: indexes, ...others } = definition;
    expect(others).toEqual({
      TableName: expect.stringMatching(/^petstore-\w+-restored-/),
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: expect.arrayContaining([{ AttributeName: 'pk', AttributeType: 'S' }]),
      KeySchema,
    });
    expect(GlobalSecondaryIndexes).toMatchObject(indexes);
    for (const index of indexes) expect(Object.keys(index)).toEqual(['IndexName', 'KeySchema', 'Projection']);
    expect(runbook).toContain(`--table ${definition.TableName} --yes`);
  });
});
