import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { hasCommand } from '../support/has-command.ts';

// These tests check what no linter checks. actionlint checks the syntax and the types of expressions
// (test/clients/workflow-lint.ts).

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
/** The jobs that can get AWS credentials. The first two only call the third. */
const trusted = [
  'deploy.yml others',
  'deploy.yml prod',
  'stage.yml deploy',
  'monitor.yml silent-stops',
];
const names = readdirSync(join(root, '.github/workflows'));
// biome-ignore lint/suspicious/noExplicitAny: actionlint checks the schema
const workflowOf = (name: string): any => parseYaml(read(`.github/workflows/${name}`));

const { concurrency, jobs } = workflowOf('deploy.yml');
const { deploy, verify } = workflowOf('stage.yml').jobs;
const monitorFile = workflowOf('monitor.yml');
const { probe, verify: monitor, 'silent-stops': silentStops } = monitorFile.jobs;

const expression = (text: string) => `\${{ ${text} }}`;

/** Runs the script of a step, which prints the commands that it would run. */
const runStep = (
  { run }: { run: string },
  env: Readonly<Record<string, string>>,
  cwd = tempFolder('workflow'),
  printed = /npm run|npx --no-install cdk/,
) => {
  const script = run.replace(printed, 'echo');
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', script], options);
  return { status, output: stdout + stderr };
};

it.each(names)('%s has only pinned actions, read permissions, and no secret in a script', name => {
  const text = read(`.github/workflows/${name}`);
  for (const [, action] of text.matchAll(/uses: (.*)$/gm))
    expect(action).toMatch(
      /^(?:\.\/\.github\/workflows\/\w+\.yml|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/,
    );
  expect(text).not.toMatch(
    /\b\d{12}\b|AKIA|aws-access-key|aws-secret|pull_request_target|--(?:secret|token)\b/,
  );
  const { permissions, defaults, jobs } = workflowOf(name);
  expect(permissions).toEqual({ contents: 'read' });
  for (const [id, { permissions: granted = permissions, steps = [] }] of Object.entries<
    typeof deploy
  >(jobs)) {
    const isTrusted = trusted.includes(`${name} ${id}`);
    expect(granted, id).toEqual(
      isTrusted ? { contents: 'read', 'id-token': 'write' } : permissions,
    );
    for (const { uses = '', run = '', with: inputs } of steps) {
      if (uses.startsWith('actions/checkout@')) expect(inputs['persist-credentials']).toBe(false);
      // A script reads untrusted values only from its environment. With pipefail, a step fails although its output is piped.
      expect(run).not.toContain('${{');
      if (run.includes('| tee ')) expect(defaults?.run.shell).toBe('bash');
    }
  }
});

it('CI runs each tier of .ci/run', () => {
  expect(read('.ci/run')).toContain(
    `tiers=(${workflowOf('ci.yml').jobs.run.strategy.matrix.tier.join(' ')})`,
  );
});

describe('a deployment', () => {
  it('deploys a tag to prod after all others, one deployment after another, in environments that only tags may use', () => {
    const needs = [jobs.others, jobs.prod].map(job => job.needs);
    expect(needs).toEqual([
      ['check', 'synthesize'],
      ['check', 'synthesize', 'others'],
    ]);
    // A skipped job is no failure: a rollback skips the tests, `only` the others.
    for (const job of [jobs.others, jobs.prod])
      expect(job.if).toMatch(/^\${{ !failure\(\) && !cancelled\(\) &&/);
    expect(concurrency).toEqual({ group: 'deploy', 'cancel-in-progress': false });
    expect(jobs.synthesize.if).toContain("startsWith(github.ref, 'refs/tags/v')");
    const environments = [deploy, verify, probe, monitor, silentStops].map(
      ({ environment }) => environment,
    );
    const ofStage = ['inputs.stage', 'inputs.verify-environment'].map(expression);
    expect(environments).toEqual([...ofStage, 'monitor', 'monitor', 'monitor']);
  });

  it('can have the settings of a later tag, so that a rollback needs no new tag', () => {
    const [, checkout, replace] = jobs.synthesize.steps;
    const [upload, download] = [jobs.synthesize.steps.at(-1), verify.steps.at(-2)];
    expect([upload.with, download.with]).toEqual([
      { name: 'settings', path: 'cdk/stages.ts' },
      { name: 'settings', path: 'cdk' },
    ]);
    expect(checkout.with.ref).toBe(`refs/tags/v${expression('inputs.settings-of')}`);
    const folder = tempFolder('workflow');
    for (const [name, text] of Object.entries({ cdk: 'old', 'later/cdk': 'new' })) {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, 'stages.ts'), text);
    }
    expect(runStep(replace, {}, folder).status).toBe(0);
    expect([readdirSync(folder), readFileSync(join(folder, 'cdk/stages.ts'), 'utf8')]).toEqual([
      ['cdk'],
      'new',
    ]);
  });

  const stepNamed = (wanted: string) =>
    jobs.synthesize.steps.find(({ name }: { name?: string }) => name === wanted);

  it.runIf(hasCommand('jq')).each([
    ['v1.0.1000', 0, ''],
    ['v1.0.1001', 1, 'The tag is v1.0.1001, but the document has the version 1.0.1000,'],
  ])(
    'refuses a tag whose version is not that of the document: %s',
    (GITHUB_REF_NAME, code, printed) => {
      const folder = tempFolder('workflow');
      mkdirSync(join(folder, 'cdk/openapi'), { recursive: true });
      writeFileSync(join(folder, 'cdk/openapi/openapi.json'), '{"info":{"version":"1.0.1000"}}');
      const { status, output } = runStep(
        stepNamed('Compare the versions'),
        { GITHUB_REF_NAME },
        folder,
      );
      expect([status, output]).toEqual([code, expect.stringContaining(printed)]);
    },
  );

  it.runIf(hasCommand('jq')).each([
    ['beta: {}, prod: {}', '', 0, ['beta prod', '["beta"]', 'true']],
    ['prod: {}, staging: {}, beta: {}', '', 0, ['prod staging beta', '["staging","beta"]', 'true']],
    ['prod: {}', '', 0, ['prod', '[]', 'true']],
    ['beta: {}, prod: {}', 'prod', 0, ['prod', '[]', 'true']],
    ['staging: {}, prod: {}', 'staging', 0, ['staging', '["staging"]', 'false']],
    [
      'beta: {}, prod: {}',
      'dev',
      1,
      'There is no stage "dev" to deploy. There are: beta prod (cdk/stages.ts)',
    ],
  ])('deploys each stage but dev of %s, or only "%s"', (stages, ONLY, code, expected) => {
    const folder = tempFolder('workflow');
    mkdirSync(join(folder, 'cdk'));
    writeFileSync(
      join(folder, 'cdk/stages.ts'),
      `export const stages: object = { dev: {}, ${stages} };`,
    );
    const { status, output } = runStep(
      stepNamed('Choose the stages'),
      { ONLY, GITHUB_OUTPUT: 'out' },
      folder,
    );
    expect(status, output).toBe(code);
    if (typeof expected === 'string') return expect(output).toContain(expected);
    const values = ['chosen', 'others', 'prod'].map((name, at) => `${name}=${expected[at]}\n`);
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe(values.join(''));
  });

  it('shows what prod would replace or delete, and goes on without the diff if prod is in another account', () => {
    const step = deploy.steps.at(-1);
    const printed = (cdk: string) => {
      const cwd = tempFolder('workflow');
      writeFileSync(join(cwd, 'npx'), `#!/bin/sh\n${cdk}`, { mode: 0o755 });
      const path = `${cwd}:${process.env.PATH}`;
      return runStep(
        step,
        { SHOW: 'prod', GITHUB_STEP_SUMMARY: '/dev/null', PATH: path },
        cwd,
        /^$/,
      );
    };
    const diff = [
      '[-] AWS::SQS::Queue Q destroy',
      '[~] AWS::DynamoDB::GlobalTable T replace',
      '[~] AWS::SQS::Queue Q',
    ];
    const { output } = printed(`printf '%s\\n' '${diff.join("' '")}'`);
    expect(output.split('says what must not be):\n')[1]!.trim().split('\n')).toEqual(
      diff.slice(0, 2),
    );
    expect(printed('exit 1')).toMatchObject({
      status: 0,
      output: expect.stringContaining('There is no diff of prod'),
    });
  });

  it.each([
    ['none', ' --rollback-trigger-alarm-arns none'],
    ['', ''],
  ])(
    'deploys with the rollback triggers of the stack, unless it is asked to remove them: "%s"',
    (TRIGGERS, option) => {
      for (const { with: inputs } of [jobs.others, jobs.prod])
        expect(inputs['rollback-triggers']).toBe(expression('inputs.rollback-triggers'));
      const folder = tempFolder('workflow');
      writeFileSync(
        join(folder, 'outputs.json'),
        '{"petstore-prod":{"ApiUrl":"https://a.example.com/","DocsUrl":"x"}}',
      );
      const step = deploy.steps.find(({ id = '' }) => id === 'deploy');
      const { output } = runStep(step, { STAGE: 'prod', TRIGGERS, GITHUB_OUTPUT: 'out' }, folder);
      expect(output).toContain(`outputs.json${option}\n`);
      if (hasCommand('jq'))
        expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('url=https://a.example.com/\n');
    },
  );

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
    ['a', 'b', 0, 'verify -- --url u --as staging --client a --read-only\n'],
  ])(
    'is verified, or says why not: client "%s", secret "%s"',
    (CLIENT, PETSTORE_SECRET, code, printed) => {
      const step = verify.steps.at(-1);
      expect(step.env.URL).toContain('needs.deploy.outputs.url');
      const env = {
        CLIENT,
        PETSTORE_SECRET,
        STAGE: 'staging',
        URL: 'u',
        VERIFY: '--read-only',
        GITHUB_STEP_SUMMARY: '/dev/null',
      };
      const { status, output } = runStep(step, env);
      expect([status, output]).toEqual([code, expect.stringContaining(printed)]);
    },
  );

  it('is verified in prod with reads only, on a schedule too, by a client of an environment without reviewers', () => {
    expect(jobs.prod.with).toMatchObject({
      stage: 'prod',
      'verify-environment': 'monitor',
      verify: '--read-only',
    });
    const stage = expression('matrix.stage');
    expect(jobs.others.with).toMatchObject({ stage, 'verify-environment': stage });
    expect(jobs.others.with.verify).toBeUndefined();
    expect(monitor.steps.at(-1).run).toContain(
      'npm run verify -- --url "$URL" --client "$CLIENT" --read-only |',
    );
  });
});

it('the monitor probes every hour, and verifies and looks at the alarms every six hours, if it has a URL', () => {
  const [hourly, sixHourly] = monitorFile.on.schedule.map(({ cron }: { cron: string }) => cron);
  expect(hourly).toMatch(/^\d+ \* \* \* \*$/);
  const unless = (cron: string) =>
    expression(`vars.MONITOR_URL != '' && github.event.schedule != '${cron}'`);
  expect([probe, monitor, silentStops].map(job => job.if)).toEqual(
    [sixHourly, hourly, hourly].map(unless),
  );
});

it.each([
  [{ ROLE: '' }, 0, '::notice::Nobody looks for silent stops'],
  [{}, 0, 'Deliveries that no dead-letter queue accepted: 0.0'],
  [{ confirmed: '0' }, 1, '::error::No alarm reaches anybody'],
  [{ confirmed: 'None' }, 1, '::error::No alarm reaches anybody'],
  [{ state: 'Disabled' }, 1, '::error::No event is published: the mapping is Disabled'],
  [{ state: 'Enabling' }, 0, 'Events: Enabling'],
  [{ MAPPING: '', state: 'Disabled' }, 0, '::notice::Nobody looks whether events'],
  [{ lost: '2.0' }, 1, '::error::Events were dropped: no dead-letter queue accepted 2.0'],
  // Also when a call fails, such as one without permission.
  [{ lost: '' }, 1, 'accepted unknown'],
])('the monitor, with %j, ends with %i and prints %s', (given, code, printed) => {
  const { confirmed, state, lost, ...env } = {
    confirmed: '1',
    state: 'Enabled',
    lost: '0.0',
    ...given,
  };
  // A function of the shell, because the order of PATH on a machine may not be ours.
  const aws = `aws() { case $1 in sns) echo ${confirmed};; lambda) echo ${state};; *) [ -n "${lost}" ] && echo ${lost};; esac; }`;
  const run = `${aws}\n${silentStops.steps.at(-1).run}`;
  const { status, output } = runStep({ run }, { ROLE: 'arn', MAPPING: 'id', ...env });
  expect([status, output]).toEqual([code, expect.stringContaining(printed)]);
  // SEARCH, in the form of the CloudWatch user guide ("Metric search expression syntax").
  const [{ Expression }] = JSON.parse(silentStops.env.LOST);
  expect(Expression).toMatch(
    /^SEARCH\('\{AWS\/Events,EventBusName,RuleName\} .*InvocationsFailedToBeSentToDlq"', 'Sum', \d+\)$/,
  );
});

it('the repository contains only account ids of examples', () => {
  // A downloaded copy has no .git, and a machine may have no git.
  const ignored = read('.gitignore').trimEnd().split('\n');
  const exclude = ['.git', ...ignored.map(name => `**/${name.replace(/\/$/, '')}`)];
  const files = globSync(['**', '.*', '.*/**'], { cwd: root, exclude, withFileTypes: true }).filter(
    it => it.isFile(),
  );
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  const arns = texts.flatMap(
    text => text.match(/arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:[0-9]{12}:/g) ?? [],
  );
  expect(arns.length).toBeGreaterThan(0);
  expect(arns.filter(arn => !/:(?:0{12}|123456789012):$/.test(arn))).toEqual([]);
});
