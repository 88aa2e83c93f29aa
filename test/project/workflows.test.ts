import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { hasCommand } from '../support/has-command.ts';
import { read, root } from '../support/project.ts';

// These tests check what no linter checks. actionlint checks the syntax and the types of expressions
// (test/clients/workflow-lint.ts).

const names = readdirSync(join(root, '.github/workflows'));
// biome-ignore lint/suspicious/noExplicitAny: actionlint checks the schema
const workflowOf = (name: string): any => parseYaml(read(`.github/workflows/${name}`));

/** The jobs that can get AWS credentials. The first two only call the third. */
const trusted =
  'deploy.yml others, deploy.yml prod, stage.yml deploy, monitor.yml silent-stops'.split(', ');
const pinned =
  /^(?:\.\/\.github\/workflows\/\w+\.yml|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/;

it.each(names)('%s has only pinned actions, read permissions, and no secret in a script', name => {
  const text = read(`.github/workflows/${name}`);
  for (const [, action] of text.matchAll(/uses: (.*)$/gm)) expect(action).toMatch(pinned);
  expect(text).not.toMatch(
    /\b\d{12}\b|AKIA|aws-access-key|aws-secret|pull_request_target|--(?:secret|token)\b/,
  );
  const { permissions, defaults, jobs } = workflowOf(name);
  expect(permissions).toEqual({ contents: 'read' });
  for (const [id, job] of Object.entries<typeof jobs>(jobs)) {
    const { steps = [], permissions: granted = permissions } = job;
    const isTrusted = trusted.includes(`${name} ${id}`);
    expect(granted, id).toEqual(isTrusted ? { ...permissions, 'id-token': 'write' } : permissions);
    for (const { uses = '', run = '', with: inputs } of steps) {
      if (uses.startsWith('actions/checkout@')) {
        expect(inputs['persist-credentials']).toBe(false);
        // A short name is that of a branch first, which anybody who can push may create.
        expect(inputs.ref ?? 'refs/tags/').toMatch(/^refs\/tags\/|\.sha }}$/);
      }
      // A script reads untrusted values only from its environment. With pipefail, a step fails although its output is piped.
      expect(run).not.toContain('${{');
      if (run.includes('| tee ')) expect(defaults?.run.shell).toBe('bash');
    }
  }
});

it.each(trusted)(
  '%s can get AWS credentials, so it runs only the pinned CDK, on an assembly',
  job => {
    const [file, id] = job.split(' ');
    const { steps = [] } = workflowOf(file!).jobs[id!];
    const scripts: string = steps.map(({ run = '' }) => run).join('\n');
    for (const [command] of scripts.matchAll(/\b(?:npm|npx|node|\.ci\/run) .*/g))
      expect(command).toMatch(
        /^npm ci --ignore-scripts$|^npx --no-install cdk \w+ --app "assemblies/,
      );
    expect(JSON.stringify(steps)).not.toContain('secrets.');
  },
);

it('CI runs each tier of .ci/run', () => {
  const { tier } = workflowOf('ci.yml').jobs.run.strategy.matrix;
  expect(read('.ci/run')).toContain(`tiers=(${tier.join(' ')})`);
});

it('the monitor has a job for each of its schedules', () => {
  const text = read('.github/workflows/monitor.yml');
  const crons = (place: RegExp) => new Set(Array.from(text.matchAll(place), ([, cron]) => cron));
  expect(crons(/event\.schedule != '(.*)' }}/g)).toEqual(crons(/- cron: '(.*)'/g));
});

/** Functions of the shell, because the order of PATH on a machine may not be ours. An empty value makes the program fail. */
const programs = `
  npm() { echo "npm $*"; }
  npx() { echo "\${DIFF-npx $*}"; [ "\${DIFF-yes}" ]; }
  aws() {
    case "$*" in
      *\${TOPIC_WITHOUT:-none}*) echo 0;; sns*) echo $CONFIRMED;;
      *\${STOPPED:-none}*) echo Disabled;; lambda*) echo $MAPPED;;
      apigateway*) echo $LOG_ROLE;; *IncomingLogEvents*) echo $LINES;;
      *) [ "$SUM" ] && echo $SUM;;
    esac
  }
`;
/** What the steps before have left. */
const left = {
  'cdk/openapi/openapi.json': '{"info":{"version":"1.0.1000"}}',
  'cdk/stages.ts': `export const stages = Object.fromEntries(process.env.STAGES.split(' ').map(name => [name, {}]));`,
  output: '',
  'outputs.json': '{"petstore-prod":{"ApiUrl":"https://a.example.com/","DocsUrl":"x"}}',
};
const healthy = {
  ROLE: 'arn',
  TOPICS: 'arn:stage arn:account',
  CONFIRMED: '1',
  MAPPINGS: 'events webhook',
  MAPPED: 'Enabled',
  SUM: '0.0',
  ACCESS_LOG: 'log',
  LOGGED: 'IncomingLogEvents',
  LINES: '745.0',
  LOG_ROLE: 'arn:role',
};
const verify = { STAGE: 'staging', URL: 'u', VERIFY: '--read-only' };

/** Lines of the CDK CLI 2.1148.1 (`formatResourceDifference` and `formatTreeDiff` of aws-cdk/lib/index.js). */
const changed = '[~] AWS::Lambda::Function replacePet/Function replacePetFunctionF1C2D3E4';
const replaced = `${changed} replace\n └─ [~] Code (requires replacement)`;
const lost = `[-] AWS::SQS::Queue Old Old1A2B3C4D destroy\n${changed} may be replaced`;

/** Steps that decide something, each with cases: environment, exit code, and a part of the output. */
const steps: Record<string, [env: Record<string, string>, code: number, printed: string][]> = {
  'deploy.yml synthesize, Compare the versions': [
    [{ GITHUB_REF_NAME: 'v1.0.1000' }, 0, ''],
    [
      { GITHUB_REF_NAME: 'v1.0.1001' },
      1,
      'The tag is v1.0.1001, but the document has the version 1.0.1000,',
    ],
  ],
  'deploy.yml synthesize, Choose the stages': [
    [{ STAGES: 'dev beta prod' }, 0, 'chosen=beta prod others=["beta"] prod=true '],
    [{ STAGES: 'prod dev b a' }, 0, 'chosen=prod b a others=["b","a"] prod=true '],
    [{ STAGES: 'dev prod' }, 0, 'chosen=prod others=[] prod=true '],
    [{ STAGES: 'dev a prod', ONLY: 'prod' }, 0, 'chosen=prod others=[] prod=true '],
    [{ STAGES: 'dev a prod', ONLY: 'a' }, 0, 'chosen=a others=["a"] prod=false '],
    [
      { STAGES: 'dev a prod', ONLY: 'dev' },
      1,
      'There is no stage "dev" to deploy. There are: a prod (cdk/stages.ts)',
    ],
  ],
  'stage.yml deploy, Deploy': [
    [{ TRIGGERS: '' }, 0, 'outputs.json url=https://a.example.com/ '],
    [{ TRIGGERS: 'none' }, 0, 'outputs.json --rollback-trigger-alarm-arns none '],
  ],
  'stage.yml deploy, What would change next': [
    ...[replaced, lost].map((diff): (typeof steps)[string][number] => [
      { DIFF: `${changed}\n${diff}` },
      0,
      `must not be): ${diff.replaceAll('\n', ' ')} `,
    ]),
    [{ DIFF: changed }, 0, 'must not be): nothing '],
    [
      { DIFF: '[+] AWS::DynamoDB::GlobalTable Table TableCD117FA1', SHOW: 'prod' },
      0,
      '::warning::prod does not exist in this account: a first deployment, or set account',
    ],
    // Prod is in another account.
    [{ DIFF: '', SHOW: 'prod' }, 0, '::warning::There is no diff of prod'],
  ],
  'stage.yml verify, Verify': [
    [verify, 0, '::notice::Not verified'],
    [{ ...verify, CLIENT: 'a' }, 1, 'VERIFY_SECRET is not set'],
    [{ ...verify, PETSTORE_SECRET: 'b' }, 1, 'VERIFY_CLIENT is not set'],
    [
      { ...verify, CLIENT: 'a', PETSTORE_SECRET: 'b' },
      0,
      'verify -- --url u --as staging --client a --read-only ',
    ],
  ],
  'monitor.yml silent-stops, Subscriptions, events, deliveries and the access log': [
    [{}, 0, '::notice::Nobody looks for silent stops'],
    [healthy, 0, 'Deliveries that no dead-letter queue accepted: 0.0'],
    [healthy, 0, 'Lines of the access log: 745.0'],
    [{ ...healthy, CONFIRMED: 'None' }, 1, '::error::No alarm reaches anybody: stage has None'],
    [{ ...healthy, TOPIC_WITHOUT: 'arn:account' }, 1, 'reaches anybody: account has 0 confirmed'],
    [{ ...healthy, TOPICS: '', CONFIRMED: '' }, 1, '::error::No alarm reaches anybody'],
    [{ ...healthy, MAPPED: 'Disabled' }, 1, '::error::No event is published: the mapping events'],
    [{ ...healthy, STOPPED: 'webhook' }, 1, 'published: the mapping webhook is Disabled'],
    [{ ...healthy, MAPPED: 'Enabling' }, 0, 'Mapping webhook: Enabling'],
    [{ ...healthy, MAPPINGS: '' }, 0, '::notice::Nobody looks whether events'],
    [
      { ...healthy, SUM: '2.0' },
      1,
      '::error::Events were dropped: no dead-letter queue accepted 2.0',
    ],
    // Also when a call fails, such as one without permission.
    [{ ...healthy, SUM: '' }, 1, 'accepted unknown'],
    [{ ...healthy, LINES: '0.0' }, 1, '::error::No failure rings: the access log has 0.0 lines'],
    [{ ...healthy, LOG_ROLE: 'None' }, 1, '::error::No failure rings: the role for logs is None'],
    [{ ...healthy, ACCESS_LOG: '', LINES: '' }, 0, '::notice::Nobody looks at the access log'],
  ],
};

const hasJq = hasCommand('jq');
describe.each(Object.entries(steps))('%s', (step, cases) => {
  const [, file, job, name] = /^(\S+) ([\w-]+), (.*)$/.exec(step)!;
  const all: { name: string; run: string }[] = workflowOf(file!).jobs[job!].steps;
  const { run } = all.find(each => each.name === name)!;

  it.skipIf(run.includes('jq ') && !hasJq).each(cases)(
    'with %j ends with %i and prints %s',
    (given, code, printed) => {
      const cwd = tempFolder('workflow');
      mkdirSync(join(cwd, 'cdk/openapi'), { recursive: true });
      for (const [path, text] of Object.entries(left)) writeFileSync(join(cwd, path), text);
      const to = { GITHUB_OUTPUT: 'output', GITHUB_STEP_SUMMARY: '/dev/null' };
      const env = { PATH: process.env.PATH, ...to, ...given };
      const options = { cwd, env, encoding: 'utf8' } as const;
      const args = ['-eo', 'pipefail', '-c', `${programs}${run}\ncat output`];
      const { status, stdout, stderr } = spawnSync('bash', args, options);
      const output = (stdout + stderr).replaceAll('\n', ' ');
      expect([status, output]).toEqual([code, expect.stringContaining(printed)]);
    },
  );
});

it('the repository contains only account ids of examples', () => {
  // A downloaded copy has no .git, and a machine may have no git.
  const ignored = read('.gitignore').trimEnd().split('\n');
  const exclude = ['.git', ...ignored.map(name => `**/${name.replace(/\/$/, '')}`)];
  const all = globSync(['**', '.*', '.*/**'], { cwd: root, exclude, withFileTypes: true });
  const files = all.filter(it => it.isFile()).map(it => join(it.parentPath, it.name));
  const texts = files.map(file => readFileSync(file, 'utf8'));
  const arns = texts.flatMap(text => text.match(/arn:aws[\w-]*:[\w-]*:[\w-]*:[0-9]{12}:/g) ?? []);
  expect(arns.length).toBeGreaterThan(0);
  expect(arns.filter(arn => !/:(?:0{12}|123456789012):$/.test(arn))).toEqual([]);
});
