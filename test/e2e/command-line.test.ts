import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { stages as userStages } from '../../cdk/stages.ts';
import manifest from '../../package.json' with { type: 'json' };
import { run } from '../support/processes.ts';
import { root } from '../support/project.ts';

/** Those that only run a file, but not `prepare`: npm itself and `npm run check` run it. */
const scripts = Object.entries(manifest.scripts).flatMap(([name, command]) => {
  const [, file] = /^node ((?:cdk|test)\/\S+\.ts)$/.exec(command) ?? [];
  return file && name !== 'prepare' ? [[name, file] as const] : [];
});

describe('an npm script', () => {
  it.each(scripts)(
    '%s prints its usage for --help, and no stack trace for another option',
    async (name, file) => {
      const [help, wrong] = [run(file, ['--help']), run(file, ['--nonsense'])];
      expect([await help.exit, help.output()]).toEqual([
        0,
        expect.stringMatching(`^npm (run )?${name}\\b`),
      ]);
      expect(
        Math.max(
          ...help
            .output()
            .split('\n')
            .map(line => line.length),
        ),
        'characters in a line',
      ).toBeLessThanOrEqual(120);
      expect(await wrong.exit).not.toBe(0);
      expect(wrong.output()).toContain("'--nonsense'");
      expect(wrong.output()).not.toMatch(/^ {4}at /m);
    },
  );
});

it('the CDK app rejects an unknown stage without a stack trace', async () => {
  const { exit, output } = run('cdk/app.ts', [], {
    env: { CDK_CONTEXT_JSON: '{"stage":"production"}' },
  });
  expect(await exit).toBe(1);
  expect(output()).toBe(
    `There is no stage "production". There are ${Object.keys(userStages).join(', ')} (cdk/stages.ts).\n`,
  );
});

it('a command ends without a stack trace when nobody reads its output', async () => {
  const line = `"${process.execPath}" cdk/commands/symbolicate.ts --help | true`;
  const { stderr } = await promisify(execFile)('sh', ['-c', line], { cwd: root });
  expect(stderr).toBe('');
});
