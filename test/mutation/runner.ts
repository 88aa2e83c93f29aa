import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { spawnNode } from '../support/spawn-node.ts';
import type { Mutant } from './generate.ts';

const root = join(import.meta.dirname, '../..');

/** After so many milliseconds without output, a run has an endless loop. The slowest test file takes a minute. */
const longestPause = 120_000;

/** `invalid`: the mutated code does not parse. */
export interface Outcome {
  readonly status: 'killed' | 'survived' | 'invalid';
  /** The first failure. It shows whether a timeout, which the machine may have caused, killed the mutant. */
  readonly by?: string;
}

/** Runs the tests in a copy of the project. */
export const createRunner = () => {
  const folder = tempFolder('mutants');
  const isCopied = (path: string) => !/[\\/](?:node_modules|cdk\.out|\.git|data)$/.test(path);
  cpSync(root, folder, { recursive: true, filter: isCopied });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

  /** @param mutated a file @returns the first failure */
  const run = async (mutated = ''): Promise<string | undefined> => {
    const projects = ['together', 'apart', 'interleavings'].map(name => `--project=${name}`);
    const args = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config=test/mutation/vitest.config.ts',
      ...projects,
    ];
    const env = { ...process.env, MUTATED_FILE: mutated };
    const child = spawnNode(args, { cwd: folder, env, detached: true });
    // With its workers: one in an endless loop does not notice the end of its parent.
    const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), longestPause);
    let output = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', text => {
        output += text;
        timer.refresh();
      });
    const [code] = await once(child, 'close');
    clearTimeout(timer);
    if (code === 0) return undefined;
    const text = stripVTControlCharacters(output).trim();
    return (
      /(?<=^ *FAIL ).*\n.*/m.exec(text)?.[0] ?? /^.*Error: .*/m.exec(text)?.[0] ?? text.slice(-300)
    );
  };

  const runMutant = async ({ file, start, end, replacement }: Mutant): Promise<Outcome> => {
    const path = join(folder, file);
    const original = readFileSync(path, 'utf8');
    writeFileSync(path, original.slice(0, start) + replacement + original.slice(end));
    const by = await run(file);
    writeFileSync(path, original);
    if (!by) return { status: 'survived' };
    return { status: /Transform failed|Build failed/.test(by) ? 'invalid' : 'killed', by };
  };
  return { run, runMutant };
};
