import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accountOptionNames } from '../../cdk/config/account-options.ts';
import { queries } from '../../cdk/config/log-queries.ts';
import { evaluate, resourcesOf } from '../../cdk/synthesis/template.ts';
import manifest from '../../package.json' with { type: 'json' };
import { everything } from '../stack/settings.ts';
import { synthesizeAccount } from '../stack/synthesize-account.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { read, root } from '../support/project.ts';
import { runCommand } from '../support/run-command.ts';

const runbook = read('cdk/RUNBOOK.md');
/** The texts with commands for a stage. */
const files =
  'README.md cdk/RUNBOOK.md cdk/TASKS.md cdk/README.md lib/events/README.md .github/SECURITY.md';
const texts = files.split(' ').map(read).join('\n');
const { template } = await synthesizeShared({ stage: 'prod', settings: everything });

/** What a pattern captures in a text. */
const named = (pattern: RegExp, text: string): string[] =>
  Array.from(text.matchAll(pattern), ([, found]) => found!);

/** Of shell blocks. A backslash at the end joins two lines. */
const lines = named(/^ *```sh\n(.*?)^ *```/gms, texts)
  .flatMap(block => block.replaceAll(/\\\n\s*/g, '').split('\n'))
  .map(line => line.trim());
const spans = named(/`((?:npm|aws|npx cdk) [^`]+)`/g, texts);
const commands = [...lines, ...spans.map(span => span.replaceAll(/\s+/g, ' '))].join('\n');
const cdkLines = commands.match(/npx cdk [^|;&$\n]*/g) ?? [];
const npmCommands = Array.from(
  commands.matchAll(/npm (?:run (?:-s )?([\w:-]+)|(start))(?: -- ([^|\n]*))?/g),
  ([, script, start, args = '']) => ({ name: (script ?? start)!, args }),
);
const optionsOf = (line: string) => named(/ --(?:no-)?([a-z][\w-]*)/g, ` ${line}`);

describe('the texts for operators', () => {
  it('have an entry for each alarm in order, with what its email says', () => {
    const chapter = runbook.split(/^## /m).find(text => text.startsWith('Alarms\n'))!;
    const entries = chapter.replaceAll(/\s+/g, ' ').split(' ### ').slice(1);
    const entryOf = new Map(entries.map(entry => [entry.split(' ')[0], entry]));
    const alarms = [template, synthesizeAccount().template].flatMap(each =>
      resourcesOf(each, 'AWS::CloudWatch::Alarm'),
    );
    const emails = alarms.map(([id, { AlarmDescription }]) => {
      return [id.slice('Alarms'.length, -8), evaluate(AlarmDescription) as string] as const;
    });
    expect([...entryOf.keys()]).toEqual(emails.map(([name]) => name));
    for (const [name, email] of emails) {
      const [, wait, command] = /^(.*?): .* First: (.*) Then: /.exec(email) ?? [];
      const figures =
        email.match(
          /[\d.]+(?:%| seconds| minutes| hours| requests| within an hour| access tokens)/g,
        ) ?? [];
      for (const part of [wait, command, ...figures])
        expect(entryOf.get(name), email).toContain(part);
    }
  });

  const queried = npmCommands.filter(({ name }) => name === 'query').map(({ args }) => args);
  const outputs = ['OperatorRoleArn', 'DeployRoleArn', ...Object.keys(template.Outputs!)];
  const context = ['stage', 'userPoolArn', 'tokenUrl', ...accountOptionNames];
  it.each([
    ['npm scripts', 50, npmCommands.map(({ name }) => name), Object.keys(manifest.scripts)],
    ['saved queries', 10, named(/'([^']+)'/g, queried.join('\n')), queries.map(({ name }) => name)],
    ['stack outputs', 5, named(/<([A-Z]\w+)>/g, texts), ['CamelCase', ...outputs]],
    ['context of the CDK app', 5, named(/ -c (\w+)=/g, cdkLines.join('\n')), context],
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

  const byName = Map.groupBy(npmCommands, ({ name }) => name);
  const withOptions = [...byName].filter(([, given]) =>
    given.some(({ args }) => args.includes('--')),
  );
  it.each(withOptions)('use existing options of npm run %s', async (name, given) => {
    const script = manifest.scripts[name as keyof typeof manifest.scripts].replace('node ', '');
    const { out } = await runCommand(script, ['--help']);
    const options = given.flatMap(({ args }) => optionsOf(args));
    expect(options.filter(option => !new RegExp(`--${option}\\b(?!-)`).test(out))).toEqual([]);
  });

  it('use existing operations and options of the AWS CLI', async () => {
    /** SDK clients that are dependencies, by the service's name in the AWS CLI. */
    const clients = new Map<string, string>();
    for (const folder of globSync('node_modules/@aws-sdk/client-*/dist-es', { cwd: root })) {
      const parameters = read(`${folder}/endpoint/EndpointParameters.js`);
      clients.set(/defaultSigningName: "(.*)"/.exec(parameters)![1]!, join(root, folder));
    }
    const all = [...commands.matchAll(/\baws ([a-z-]+) ([a-z-]+)([^|;)\n]*)/g)];
    const calls = all.filter(([, service]) => clients.has(service!));
    expect(calls.length).toBeGreaterThan(20);
    for (const [call, service, name, rest] of calls) {
      const schemas = await import(`${clients.get(service!)}/schemas/schemas_0.js`);
      const operation = name!.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) =>
        letter.toUpperCase(),
      );
      const schema = schemas[`${operation}$`];
      expect(schema, call).toBeDefined();
      const members = [...(schema[4]()[4] ?? []), 'query', 'output', 'region', 'paginate'];
      const known = members.map(member => member.toLowerCase());
      const unknown = optionsOf(rest!).filter(
        option => !known.includes(option.replaceAll('-', '')),
      );
      expect(unknown, call).toEqual([]);
    }
  });

  it('use existing options of the CDK', () => {
    expect(cdkLines.length).toBeGreaterThan(10);
    const cdk = JSON.parse(read('node_modules/aws-cdk/lib/cli/cli-type-registry.json'));
    const unknown = cdkLines.filter(line => {
      const options = { ...cdk.globalOptions, ...cdk.commands[line.split(' ')[2]!].options };
      return optionsOf(line).some(option => !Object.hasOwn(options, option));
    });
    expect(unknown).toEqual([]);
  });
});
