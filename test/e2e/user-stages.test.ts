import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ready, run } from '../support/processes.ts';
import { read } from '../support/project.ts';
import { allNames, copyProject } from '../support/project-copy.ts';

const [, example] = /<!-- settings example: .* -->\n\s*```ts\n(\s*prod: [^`]*)```/.exec(
  read('cdk/README.md'),
)!;

it('with the stages of a user, tests pass, generated files stay as they are, and the cap holds', async () => {
  const folder = copyProject(allNames());
  const file = join(folder, 'cdk/stages.ts');
  const text = readFileSync(file, 'utf8');
  const pilot =
    'pilot: { limits: { getPet: { rate: 17, burst: 9, timeout: 2 } }, worstMonthCap: 9_000 },';
  const own = text
    .replace('prod: { terminationProtection: true },', example!)
    .replace('beta: {},', pilot);
  writeFileSync(file, own);
  expect([own.includes(example!), own.includes(pilot), own.includes('beta')]).toEqual([
    true,
    true,
    false,
  ]);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  git('init', '--quiet');
  git('add', '.');

  const inCopy = async (script: string, ...args: string[]) => {
    const { exit, output } = run(script, args, { cwd: folder });
    expect(await exit, output()).toBe(0);
    return output();
  };
  // Those that synthesize or name the stages of cdk/stages.ts, read the document of prod, or write generated files. The pattern
  // leaves out the slow test of api/request-units, which stages do not change. A worker takes seconds to load the CDK.
  const names =
    'config stack/golden openapi/generated openapi/openapi project/generated api/request-units commands/shared/stage bundle/served-files e2e/command-line';
  const files = names.split(' ').map(name => `test/${name}`);
  const options =
    '-u --testTimeout=200000 --maxWorkers=2 --testNamePattern=^(?!.*exceed.the.units)';
  const [cost] = await Promise.all([
    inCopy('cdk/commands/cost.ts'),
    inCopy('node_modules/vitest/vitest.mjs', 'run', ...options.split(' '), ...files),
  ]);
  expect(git('diff', '--stat')).toBe('');
  expect(cost).toMatch(/\nAn ordinary month .*: \$7\.[0-4]\d\n/);
  expect(cost).toMatch(/\nThe worst-case month, .*: \$7,\d{3}\.\d{2}\n/);
  const added = await inCopy('cdk/commands/cost.ts', '--with', '{"tracing":true}');
  expect(added).toMatch(
    /adds \$[\d.]+ to the worst-case month, and \$0\.00 to the idle month\.\n$/,
  );

  // Locally, the document is that of prod.
  const server = run('cdk/commands/start.ts', ['--memory', '--port', '0'], { cwd: folder });
  const url = await ready(server);
  const atServer = `--url ${url} --client verify --secret local --read-only -t`.split(' ');
  const compare = (...args: string[]) =>
    run('test/stage/index.ts', [...atServer, 'is the one of this', ...args], { cwd: folder }).exit;
  expect([await compare(), await compare('--as', 'pilot')]).toEqual([0, 1]);
  server.child.kill('SIGTERM');

  // Only a warning, because a person decides about it.
  writeFileSync(file, own.replace('worstMonthCap: 7_500', 'worstMonthCap: 1'));
  const synthesize = async (stage: string) => {
    const env = {
      CDK_CONTEXT_JSON: JSON.stringify({ stage }),
      CDK_OUTDIR: join(folder, 'cdk.out', stage),
    };
    const { exit, output } = run('cdk/app.ts', [], { cwd: folder, env });
    expect(await exit, output()).toBe(0);
    const [document] = globSync(join(env.CDK_OUTDIR, '*/openapi.json'));
    return { output, rates: readFileSync(document!, 'utf8').match(/17 requests/g) };
  };
  const synthesis = await synthesize('prod');
  expect([synthesis.rates, (await synthesize('pilot')).rates]).toEqual([null, ['17 requests']]);
  const warning = /^Warning: The worst-case month costs \$[\d,.]+, more than the cap of \$1\.00/gm;
  expect(synthesis.output().match(warning)).toHaveLength(1);
});
