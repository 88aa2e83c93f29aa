import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../cdk/synthesis/temp-folder.ts';
import { hasCommand } from '../support/has-command.ts';

// These tests check what no linter checks. actionlint checks the syntax and the types of expressions
// (test/clients/workflow-lint.ts).

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
/** The jobs that can get AWS credentials. The first two only call the third. */
const trusted: readonly string[] = [
  'deploy.yml beta',
  'deploy.yml prod',
  'stage.yml deploy',
  'monitor.yml alarm-topic',
];
const names = readdirSync(join(root, '.github/workflows'));
// biome-ignore lint/suspicious/noExplicitAny: actionlint checks the schema
const workflowOf = (name: string): any => parseYaml(read(`.github/workflows/${name}`));

const { concurrency, jobs } = workflowOf('deploy.yml');
const { deploy, verify } = workflowOf('stage.yml').jobs;
const monitorFile = workflowOf('monitor.yml');
const { probe, verify: monitor, 'alarm-topic': alarmTopic } = monitorFile.jobs;

/** The value of a text that is one expression. @param given the values of the context; by default '' */
const evaluate = (text: string, given: Readonly<Record<string, string>>): unknown => {
  const [, expression] = /^\$\{\{(.*)\}\}$/.exec(text)!;
  const context = /\b(?:inputs|vars|needs|github)\.[\w.-]+|(?:failure|cancelled)\(\)/g;
  return new Function(`return ${expression!.replace(context, name => JSON.stringify(given[name] ?? ''))}`)();
};

/** Runs the script of a step, which prints the commands that it would run. */
const runStep = ({ run }: { run: string }, env: Readonly<Record<string, string>>, cwd = tempFolder('workflow')) => {
  const script = run.replace(/npm run|npx --no-install cdk/, 'echo');
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', script], options);
  return { status, output: stdout + stderr };
};

it.each(names)('%s has only pinned actions, read permissions, and no secret in a script', name => {
  const text = read(`.github/workflows/${name}`);
  for (const [, action] of text.matchAll(/uses: (.*)$/gm))
    expect(action).toMatch(/^(?:\.\/\.github\/workflows\/\w+\.yml|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
  expect(text).not.toMatch(/\b\d{12}\b|AKIA|aws-access-key|aws-secret|pull_request_target|--(?:secret|token)\b/);
  const { permissions, defaults, jobs } = workflowOf(name);
  expect(permissions).toEqual({ contents: 'read' });
  for (const [id, { permissions: granted = permissions, steps = [] }] of Object.entries<typeof deploy>(jobs)) {
    const isTrusted = trusted.includes(`${name} ${id}`);
    expect(granted, id).toEqual(isTrusted ? { contents: 'read', 'id-token': 'write' } : permissions);
    for (const { uses = '', run = '', with: inputs } of steps) {
      if (uses.startsWith('actions/checkout@')) expect(inputs['persist-credentials']).toBe(false);
      // A script reads untrusted values only from its environment. With pipefail, a step fails although its output is piped.
      expect(run).not.toContain('${{');
      if (run.includes('| tee ')) expect(defaults?.run.shell).toBe('bash');
    }
  }
});

it('CI runs each tier of .ci/run', () => {
  expect(read('.ci/run')).toContain(`tiers=(${workflowOf('ci.yml').jobs.run.strategy.matrix.tier.join(' ')})`);
});

describe('a deployment', () => {
  it('deploys a tag to beta, then to prod; without beta only on request', () => {
    const needs = [jobs.synthesize, jobs.beta, jobs.prod].map(job => job.needs);
    expect(needs).toEqual(['check', 'synthesize', ['synthesize', 'beta']]);
    expect(concurrency).toEqual({ group: 'deploy', 'cancel-in-progress': false });
    const runs = (beta: string, only: string, prod = '') => {
      const results = { 'needs.synthesize.result': 'success', 'needs.beta.result': beta };
      const given = { 'failure()': beta === 'failure' ? 'yes' : '', 'vars.PROD': prod, 'inputs.only': only };
      return evaluate(jobs.prod.if, { ...results, ...given });
    };
    expect([runs('success', ''), runs('success', 'all'), runs('skipped', 'prod')]).toEqual([true, true, true]);
    expect([runs('skipped', ''), runs('skipped', 'all'), runs('success', 'beta')]).toEqual([false, false, false]);
    expect([runs('failure', ''), runs('failure', 'prod')]).toEqual([false, false]);
    // With `by-hand`, for repositories without reviewers, a tag does not deploy prod.
    expect([runs('success', '', 'by-hand'), runs('skipped', 'prod', 'by-hand')]).toEqual([false, true]);
  });

  it.each([
    ['', ['prod', ...Array(4).fill('monitor')]],
    ['none', Array(5).fill('')],
  ])('runs in the environments of the stage, if the variable ENVIRONMENTS is "%s"', (none, environments) => {
    const given = { 'inputs.stage': 'prod', 'inputs.verify-environment': 'monitor', 'vars.ENVIRONMENTS': none };
    expect([deploy, verify, monitor, probe, alarmTopic].map(({ environment }) => evaluate(environment, given))).toEqual(
      environments,
    );
  });

  it('shows what would change in prod before its approval, and what that replaces or deletes', () => {
    const shown = (only: string, showProd = '') =>
      evaluate(jobs.beta.with.show, { 'inputs.only': only, 'vars.SHOW_PROD': showProd });
    // With SHOW_PROD=false, no diff of prod is shown, because prod may be in another account.
    expect([shown(''), shown('all'), shown('beta'), shown('all', 'false')]).toEqual(['prod', 'prod', '', '']);
    const [, pattern] = /grep -E '(.*)' next\.diff/.exec(deploy.steps.at(-1).run)!;
    const diff = ['[-] AWS::SQS::Queue Q destroy', '[~] AWS::DynamoDB::GlobalTable T replace', '[~] AWS::SQS::Queue Q'];
    expect(diff.filter(line => new RegExp(pattern!).test(line))).toEqual(diff.slice(0, 2));
  });

  it.each([
    ['none', ' --rollback-trigger-alarm-arns none'],
    ['keep', ''],
    ['', ''],
  ])('deploys with the rollback triggers of the stack, unless it is asked to remove them: "%s"', (triggers, option) => {
    const given = { 'inputs.rollback-triggers': triggers };
    for (const { with: inputs } of [jobs.beta, jobs.prod])
      expect(evaluate(inputs['rollback-triggers'], given)).toBe(triggers);
    const folder = tempFolder('workflow');
    writeFileSync(join(folder, 'outputs.json'), '{"petstore-prod":{"ApiUrl":"https://a.example.com/","DocsUrl":"x"}}');
    const TRIGGERS = evaluate(deploy.env.TRIGGERS, given) as string;
    const step = deploy.steps.find(({ id = '' }) => id === 'deploy');
    const { output } = runStep(step, { STAGE: 'prod', TRIGGERS, GITHUB_OUTPUT: 'out' }, folder);
    expect(output).toContain(`outputs.json${option}\n`);
    if (hasCommand('jq')) expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('url=https://a.example.com/\n');
  });

  it('runs nothing but the pinned CDK on the assembly, without install scripts, where it can get AWS credentials', () => {
    const scripts = deploy.steps.map(({ run = '' }) => run).join('\n');
    const [install, ...commands] = scripts.match(/\b(?:npm|npx|node|\.ci\/run) .*/g);
    expect(install).toBe('npm ci --ignore-scripts');
    for (const command of commands)
      expect(command).toMatch(/^npx --no-install cdk (?:diff|deploy) --app "assemblies\//);
    expect(JSON.stringify(deploy)).not.toContain('secrets.');
  });

  it.each([
    ['', '', 0, '::notice::Not verified'],
    ['a', '', 1, 'VERIFY_SECRET is not set'],
    ['', 'b', 1, 'VERIFY_CLIENT is not set'],
    ['a', 'b', 0, 'verify -- --url u --client a --read-only\n'],
  ])('is verified, or says why not: client "%s", secret "%s"', (CLIENT, PETSTORE_SECRET, code, printed) => {
    const step = verify.steps.at(-1);
    expect(step.env.URL).toContain('needs.deploy.outputs.url');
    const env = { CLIENT, PETSTORE_SECRET, URL: 'u', VERIFY: '--read-only', GITHUB_STEP_SUMMARY: '/dev/null' };
    const { status, output } = runStep(step, env);
    expect([status, output]).toEqual([code, expect.stringContaining(printed)]);
  });

  it('is verified in prod with reads only, on a schedule too, by a client of an environment without reviewers', () => {
    expect(jobs.prod.with).toMatchObject({ stage: 'prod', 'verify-environment': 'monitor', verify: '--read-only' });
    expect(jobs.beta.with).toMatchObject({ stage: 'beta', 'verify-environment': 'beta' });
    expect(jobs.beta.with.verify).toBeUndefined();
    expect(monitor.steps.at(-1).run).toContain('npm run verify -- --url "$URL" --client "$CLIENT" --read-only |');
  });
});

it.each([
  ['47 * * * *', 'u', [true, false, false]],
  ['17 */6 * * *', 'u', [false, true, true]],
  ['', 'u', [true, true, true]],
  ['', '', [false, false, false]],
])('the monitor, at "%s" with the URL "%s", probes, verifies and looks at the alarms: %j', (cron, url, runs) => {
  if (cron) expect(monitorFile.on.schedule).toContainEqual({ cron });
  const given = { 'vars.MONITOR_URL': url, 'github.event.schedule': cron };
  expect([probe, monitor, alarmTopic].map(job => evaluate(job.if, given))).toEqual(runs);
});

it.each([
  ['', '0', 0, '::notice::Nobody looks'],
  ['arn', '1', 0, 'Confirmed subscriptions: 1'],
  ['arn', '0', 1, '::error::No alarm reaches anybody'],
  ['arn', 'None', 1, '::error::No alarm reaches anybody'],
])('the monitor, with the role "%s" and %s confirmed subscriptions', (ROLE, confirmed, code, printed) => {
  const folder = tempFolder('workflow');
  writeFileSync(join(folder, 'aws'), `#!/bin/sh\necho ${confirmed}`, { mode: 0o755 });
  const { status, output } = runStep(alarmTopic.steps.at(-1), { ROLE, PATH: `${folder}:${process.env.PATH}` });
  expect([status, output]).toEqual([code, expect.stringContaining(printed)]);
});

it('the repository contains only account ids of examples', () => {
  const search = ['grep', '--untracked', '-hoE', 'arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:[0-9]{12}:'];
  const arns = execFileSync('git', search, { cwd: root, encoding: 'utf8' }).trimEnd().split('\n');
  expect(arns.filter(arn => !/:(?:0{12}|123456789012):$/.test(arn))).toEqual([]);
});
