import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '../support/project.ts';
import { callCommand } from '../support/run-command.ts';

/** Options that npm 11 and 12 take for a short form of their own, so that they leave only the value. */
const withoutVariable = ['as', 'local', 'maps', 'to'];

const scripts = Object.entries(manifest.scripts).flatMap(([name, line]) => {
  const [, file] = /^node ((?:cdk\/commands|test)\/\S+\.ts)/.exec(line) ?? [];
  return file ? [[name, file] as const] : [];
});

it.each(scripts)('npm run %s refuses each option that npm took', async (name, file) => {
  const { command } = await import(join(root, file));
  const { output: usage } = await callCommand(command, ['--help'], {});
  const typed = name === 'start' ? 'npm start' : `npm run ${name}`;
  const options = [...usage.matchAll(/^ {2}--([\w-]+)( [A-Z])?/gm)];
  for (const [, option = '', value] of options) {
    if (['help', 'yes'].includes(option)) continue;
    // Recorded from npm 11.21 and 12.2: `npm run orders --open`, `npm run import --stage prod pets.csv`.
    const variable = { [`npm_config_${option.replaceAll('-', '_')}`]: 'true' };
    const left = withoutVariable.includes(option)
      ? await callCommand(command, ['value', 'another'], { npm_lifecycle_event: name })
      : await callCommand(command, value ? ['value'] : [], {
          npm_lifecycle_event: name,
          ...variable,
        });
    expect(left.code, option).toBeGreaterThan(0);
    expect(left.output).toMatch(
      withoutVariable.includes(option)
        ? /another: too many arguments for npm run /
        : `npm took --${option} for itself, and nothing was done. Type -- before options: ${typed} `,
    );
  }
});

it('an option after -- is read, also in a shell that npm started with it', async () => {
  const { command } = await import('../../cdk/commands/orders.ts');
  const started = { npm_lifecycle_event: 'orders', npm_config_since: 'true', npm_config_yes: '' };
  expect(await callCommand(command, ['--since', '5'], started)).toMatchObject({
    code: 1,
    output: '--since 5 is no time in the past.\n--help prints the options.\n',
  });
});
