import { spawn } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyProject } from '../support/project-copy.ts';
import { median, table } from './statistics.ts';

const rounds = 11;
const port = 3_999;

/** The saved file, the text in it that changes, and the path whose response contains that text. */
const saves = [
  { what: 'one function', file: 'functions/getCategory.ts', at: '/pets/categories/1', replacedText: undefined },
  {
    what: 'lib/errors.ts, which all functions have',
    file: 'lib/errors.ts',
    at: '/pets/1',
    replacedText: 'with this id',
  },
] as const;
/** In milliseconds. */
const saveTimeout = 30_000;

/** Measures the time from a save to the first response with the change, with `npm run dev` on a copy of the project. */
export const benchReload = async () => {
  const project = await copyProject();
  const server = spawn(
    process.execPath,
    [join(project.folder, 'cdk/commands/dev.ts'), '--memory', '--port', String(port)],
    { cwd: project.folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', chunk => (output += chunk));
  while (!output.includes('Petstore is ready')) {
    if (server.exitCode !== null) throw new Error(`The server did not start: ${output}`);
    await sleep(50);
  }

  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  const measure = async ({ file, at, replacedText }: (typeof saves)[number], round: number): Promise<number> => {
    const path = join(project.folder, file);
    const text = readFileSync(path, 'utf8');
    const mark = output.length;
    const changed = replacedText
      ? text.replace(new RegExp(`${replacedText}[^.]*\\.`), `${replacedText} ${round}.`)
      : `${text}globalThis.saved = ${round};\n`;
    writeFileSync(`${path}~`, changed);
    const began = performance.now();
    renameSync(`${path}~`, path);
    while (performance.now() - began < saveTimeout) {
      const isVisible = replacedText
        ? (await get(at)).includes(`${replacedText} ${round}.`)
        : output.slice(mark).includes('reloaded');
      if (isVisible && !replacedText) await get(at);
      if (isVisible) return performance.now() - began;
      await sleep(20);
    }
    throw new Error(
      `The save of ${file} had no effect within ${saveTimeout} ms. Output of the server:\n${output.slice(mark)}`,
    );
  };
  // The server reloads the functions that were called first.
  for (const { at } of saves) await get(at);
  const rows: [string, number, number][] = [];
  for (const save of saves) {
    const times: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      times.push(await measure(save, round));
      // Wait until the synthesis that a save can trigger is over.
      await sleep(4_000);
    }
    rows.push([save.what, median(times), Math.max(...times)]);
  }
  server.kill();
  project.remove();
  console.log(`\nFrom a save to the first response with the change, ${rounds} saves each\n`);
  console.log(table(['save of', 'median ms', 'worst ms'], rows));
};
