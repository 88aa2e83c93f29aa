import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** actionlint checks the schema, references between jobs, expressions, and script injection. */

const workflows = join(import.meta.dirname, '../../.github/workflows');
const own = readdirSync(workflows).map(name => join(workflows, name));

/** The published version does not know later runners and the `vars` context. */
const falsePositives =
  /^label "(?:ubuntu-24\.04(?:-arm)?|macos-15(?:-intel)?|windows-2025)" is unknown|^undefined variable "vars"/;

interface Finding {
  readonly file: string;
  readonly message: string;
}

const findings = async (files: readonly string[]): Promise<Finding[]> => {
  const linter = join(import.meta.dirname, 'programs/lint-workflows.js');
  const { stdout } = await promisify(execFile)(process.execPath, [linter, ...files]);
  return JSON.parse(stdout).filter(({ message }: Finding) => !falsePositives.test(message));
};

let folder: string;
beforeAll(async () => {
  await mkdir(join(import.meta.dirname, '.petstore'), { recursive: true });
  folder = await mkdtemp(join(import.meta.dirname, '.petstore/workflows-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the workflows', () => {
  it('have no finding', async () => {
    expect(own.length).toBeGreaterThan(0);
    expect(await findings(own)).toEqual([]);
  });

  it('would be rejected for an unknown job, steps next to a called workflow, and script injection', async () => {
    const broken = join(folder, 'broken.yml');
    const jobs = [
      '  a:\n    runs-on: ubuntu-24.04\n    needs: b\n    steps:\n      - run: echo $' +
        '{{ github.event.issue.title }}',
      '  c:\n    uses: ./.github/workflows/stage.yml\n    steps:\n      - run: echo',
    ];
    await writeFile(broken, `name: broken\non: issues\njobs:\n${jobs.join('\n')}\n`);
    const messages = (await findings([broken])).map(({ message }) => message).join('\n');
    expect(messages).toMatch(/needs job "b" which does not exist/);
    expect(messages).toMatch(/potentially untrusted/);
    expect(messages).toMatch(/"steps" is not available/);
  });
});
