import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../cdk/synthesis/temp-folder.ts';
import { hasCommand } from '../support/has-command.ts';

// What no linter checks; actionlint checks the syntax (test/clients/workflow-lint.ts).

const root = join(import.meta.dirname, '../..');
const folder = join(root, '.github/workflows');
const texts = new Map(readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]));
const text = (name: string) => texts.get(name)!;

/** The part of a workflow that is one job. */
const job = (name: string, id: string): string =>
  new RegExp(`^  ${id}:\\n((?:(?: {4}.*| *#.*)?\\n)*)`, 'm').exec(text(name))![1]!;

/** The environment of a job of stage.yml in a repository with environments, and in one without. */
const environmentOf = (id: string, inputs: Record<string, string>) => {
  const [, expression] = /^ {4}environment: \$\{\{ (.*) \}\}$/m.exec(job('stage.yml', id))!;
  const script = `return ${expression!.replace(/inputs\.([\w-]+)/, "inputs['$1']")}`;
  return ['', 'none'].map(ENVIRONMENTS => new Function('inputs', 'vars', script)(inputs, { ENVIRONMENTS }) as string);
};

describe('a workflow', () => {
  it.each([...texts])(
    '%s has only pinned actions, read permissions, and no secret in an argument or script',
    (_, workflow) => {
      const actions = [...workflow.matchAll(/uses: (.*)$/gm)].map(([, action]) => action!);
      expect(actions.length).toBeGreaterThan(0);
      for (const action of actions)
        expect(action).toMatch(/^(?:\.\/\.github\/workflows\/\w+\.yml|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
      expect(workflow).toMatch(/^permissions:\n {2}contents: read\n/m);
      const granted = [...workflow.matchAll(/^ +([\w-]+: (?:read|write))$/gm)].map(([, grant]) => grant!);
      expect(granted.filter(grant => !['contents: read', 'id-token: write'].includes(grant))).toEqual([]);
      expect(workflow).not.toMatch(
        /\b\d{12}\b|AKIA|aws-access-key|aws-secret|pull_request_target|--(?:secret|token)\b/,
      );
      const timesOf = (pattern: RegExp) => workflow.match(pattern)?.length ?? 0;
      expect(timesOf(/actions\/checkout@/g)).toBe(timesOf(/persist-credentials: false/g));
      // A script reads untrusted values only from its environment. With pipefail, a step fails although its output is piped.
      for (const [, script] of workflow.matchAll(/run: (.*(?:\n {10,}.*)*)/g)) expect(script).not.toContain('${{');
      if (/\| tee /.test(workflow)) expect(workflow).toMatch(/^defaults:\n {2}run:\n(?:.*\n)? {4}shell: bash$/m);
    },
  );
});

describe('the pipeline', () => {
  it('runs each tier of .ci/run', () => {
    const tiers = /tier: \[(.*)\]/.exec(job('ci.yml', 'run'))![1]!;
    expect(readFileSync(join(root, '.ci/run'), 'utf8')).toContain(`tiers=(${tiers.replaceAll(',', '')})`);
  });

  it('deploys a tag to beta, then to prod, each in its environment; without beta only on request', () => {
    const needs = ['check', 'synthesize', 'beta', 'prod'].map(id => /needs: (.+)/.exec(job('deploy.yml', id))?.[1]);
    expect(needs).toEqual([undefined, 'check', 'synthesize', '[synthesize, beta]']);
    expect(text('deploy.yml')).toMatch(/^concurrency:\n {2}group: deploy\n {2}cancel-in-progress: false$/m);
    expect(environmentOf('deploy', { stage: 'beta' })).toEqual(['beta', '']);
    const [, condition] = /if: >-\s+\$\{\{(.*?)\}\}/s.exec(job('deploy.yml', 'prod'))!;
    const runs = (beta: string, only: string, prod = '') => {
      const script = condition!
        .replaceAll('!failure()', String(beta !== 'failure'))
        .replaceAll('!cancelled()', 'true')
        .replaceAll('needs.synthesize.result', "'success'")
        .replaceAll('needs.beta.result', `'${beta}'`)
        .replaceAll('vars.PROD', `'${prod}'`)
        .replaceAll('inputs.only', `'${only}'`);
      return new Function(`return ${script.replace(/\s+/g, ' ')}`)() as boolean;
    };
    expect([runs('success', ''), runs('success', 'all'), runs('skipped', 'prod')]).toEqual([true, true, true]);
    expect([runs('skipped', ''), runs('skipped', 'all'), runs('success', 'beta')]).toEqual([false, false, false]);
    expect([runs('failure', ''), runs('failure', 'prod')]).toEqual([false, false]);
    // Without reviewers.
    expect([runs('success', '', 'by-hand'), runs('skipped', 'prod', 'by-hand')]).toEqual([false, true]);
  });

  it('shows what would change in prod before its approval, and what that replaces or deletes', () => {
    const [, show] = /show: \$\{\{ (.*) \}\}/.exec(job('deploy.yml', 'beta'))!;
    const shown = (only: string, vars = {}) =>
      new Function('inputs', 'vars', `return ${show}`)({ only }, vars) as string;
    expect([shown(''), shown('all'), shown('beta')]).toEqual(['prod', 'prod', '']);
    expect(shown('all', { SHOW_PROD: 'false' }), 'prod is in another account').toBe('');
    const [, pattern] = /grep -E '(.*)' next\.diff/.exec(text('stage.yml'))!;
    const diff =
      '[-] AWS::SQS::Queue Q destroy\n[~] AWS::DynamoDB::GlobalTable T replace\n[~] AWS::Lambda::Function F\n';
    expect(diff.match(new RegExp(`^.*(?:${pattern}).*$`, 'gm'))).toEqual(diff.split('\n').slice(0, 2));
  });

  it('deploys with the rollback triggers of the stack, unless it is asked to remove them', () => {
    for (const id of ['beta', 'prod'])
      expect(job('deploy.yml', id)).toMatch(/rollback-triggers: \$\{\{ inputs.rollback-triggers \}\}/);
    const [, expression] = /TRIGGERS: \$\{\{ (.*) \}\}/.exec(text('stage.yml'))!;
    const [, script] = /(npx --no-install cdk deploy (?:.*\n)*?.*TRIGGERS.*)/.exec(text('stage.yml'))!;
    const deployed = (given: string) => {
      const TRIGGERS = new Function('inputs', `return ${expression!.replace('inputs.rollback-triggers', 'inputs')}`)(
        given,
      );
      const env = { ...process.env, STAGE: 'prod', TRIGGERS };
      return execFileSync('bash', ['-c', script!.replace('npx --no-install cdk deploy', 'echo')], {
        env,
        encoding: 'utf8',
      });
    };
    expect(deployed('none')).toContain(' --rollback-trigger-alarm-arns none\n');
    for (const given of ['', 'keep']) expect(deployed(given)).not.toContain('rollback');
  });

  it('runs nothing but the pinned CDK on the assembly, without install scripts, where it can get AWS credentials', () => {
    const all = [...texts].flatMap(([name, workflow]) =>
      [...workflow.split(/^jobs:$/m)[1]!.matchAll(/^ {2}(\w+):$/gm)].map(([, id]) => [name, id!] as const),
    );
    const trusted = all.filter(([name, id]) => job(name, id).includes('id-token: write'));
    // The first two only call the third.
    expect(trusted).toEqual([
      ['deploy.yml', 'beta'],
      ['deploy.yml', 'prod'],
      ['stage.yml', 'deploy'],
    ]);
    const deploy = job('stage.yml', 'deploy');
    const commands = [...deploy.matchAll(/\b(?:npm|npx|node|\.ci\/run) .*/g)].map(([command]) => command);
    expect(commands.map(command => command.split(' ').slice(0, 3).join(' '))).toEqual([
      'npm ci --ignore-scripts',
      'npx --no-install cdk',
      'npx --no-install cdk',
      'npx --no-install cdk',
    ]);
    for (const command of commands.slice(1)) expect(command).toContain(' --app "assemblies/$');
    expect(deploy).not.toMatch(/secrets\.|npm run/);
  });

  it('verifies in a job without AWS credentials, with the URL of the deployment', () => {
    const verify = job('stage.yml', 'verify');
    expect(verify).toMatch(/^ {4}needs: deploy$/m);
    expect(verify).toMatch(/^ {4}permissions:\n {6}contents: read\n {4}\S/m);
    expect(verify).not.toMatch(/aws-actions|role-to-assume|npx cdk/);
    const [, url] = /URL: \$\{\{ needs\.deploy\.outputs\.(\w+) \}\}/.exec(verify)!;
    const [, step, output] = new RegExp(`${url}: \\$\\{\\{ steps\\.(\\w+)\\.outputs\\.(\\w+) \\}\\}`).exec(
      job('stage.yml', 'deploy'),
    )!;
    expect(job('stage.yml', 'deploy')).toContain(`- id: ${step}\n`);
    const [, script] = /(url=\$\(.*\n.*>> "\$GITHUB_OUTPUT")/.exec(text('stage.yml'))!;
    const folder = tempFolder('workflow');
    writeFileSync(join(folder, 'outputs.json'), '{"petstore-prod":{"ApiUrl":"https://a.example.com/","DocsUrl":"x"}}');
    const env = { ...process.env, GITHUB_OUTPUT: join(folder, 'out') };
    if (!hasCommand('jq')) return;
    execFileSync('bash', ['-e', '-o', 'pipefail', '-c', script!], { env, cwd: folder });
    expect(readFileSync(env.GITHUB_OUTPUT, 'utf8')).toBe(`${output}=https://a.example.com/\n`);
  });

  it('prints a notice while neither client nor secret is set, and fails with one of them', () => {
    const [, script] = /run: \|\n((?: {10}.*\n)+)$/.exec(job('stage.yml', 'verify'))!;
    const verify = (CLIENT: string, PETSTORE_SECRET: string) => {
      const env = {
        ...process.env,
        CLIENT,
        PETSTORE_SECRET,
        URL: 'u',
        VERIFY: '--read-only',
        GITHUB_STEP_SUMMARY: '/dev/null',
      };
      const { status, stdout, stderr } = spawnSync('bash', ['-c', script!.replace('npm run', 'echo')], {
        env,
        encoding: 'utf8',
      });
      return [status, stdout + stderr];
    };
    expect(verify('', '')).toEqual([0, expect.stringContaining('::notice::Not verified')]);
    expect(verify('a', '')).toEqual([127, expect.stringContaining('VERIFY_SECRET is not set')]);
    expect(verify('', 'b')).toEqual([127, expect.stringContaining('VERIFY_CLIENT is not set')]);
    expect(verify('a', 'b')).toEqual([0, 'verify -- --url u --client a --read-only\n']);
  });

  it('verifies prod with reads only, on a schedule without AWS credentials, too', () => {
    const ofProd = job('deploy.yml', 'prod');
    expect(ofProd).toContain('verify: --read-only');
    expect(ofProd).toContain('verify-environment: monitor');
    expect(job('deploy.yml', 'beta')).toContain('verify-environment: beta');
    expect(environmentOf('verify', { 'verify-environment': 'monitor' })).toEqual(['monitor', '']);
    const scheduled = job('monitor.yml', 'verify');
    expect(scheduled).toMatch(/^ {4}environment: .* 'monitor'/m);
    expect(scheduled).toContain('npm run verify -- --url "$URL" --client "$CLIENT" --read-only |');
    expect(scheduled).not.toMatch(/role-to-assume|id-token/);
  });
});

it('the repository contains only account ids of examples', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const named = files
    .split('\n')
    .filter(file => /\.(?:ts|js|json|md|yml)$|run$/.test(file) && !file.includes('package-lock'))
    .flatMap(file => [...readFileSync(join(root, file), 'utf8').matchAll(/arn:aws[\w-]*:[\w-]*:[\w-]*:(\d{12}):/g)])
    .map(([, account]) => account!);
  expect([...new Set(named)].filter(account => !['000000000000', '123456789012'].includes(account))).toEqual([]);
});
