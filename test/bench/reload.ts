import { spawn } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyProject } from '../support/project-copy.ts';
import { median, table } from './statistics.ts';

const rounds = 11;
const port = 3_999;

/** Which file is saved, the words in it that change, and where the change can be seen. */
const saves = [
  { what: 'one function', file: 'functions/getCategory.ts', at: '/pets/categories/1', seenIn: undefined },
  { what: 'lib/errors.ts, which all functions have', file: 'lib/errors.ts', at: '/pets/1', seenIn: 'with this id' },
] as const;
/** Milliseconds after which a save will not be seen any more. */
const patience = 30_000;

/** From a save to the first answer that shows it, of `npm run dev` on a copy of the project, in milliseconds. */
export const benchReload = async () => {
  const project = await copyProject();
  const server = spawn(
    process.execPath,
    [join(project.folder, 'cdk/commands/dev.ts'), '--memory', '--port', String(port)],
    { cwd: project.folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', chunk => (said += chunk));
  while (!said.includes('Petstore is ready')) {
    if (server.exitCode !== null) throw new Error(`The server did not start: ${said}`);
    await sleep(50);
  }

  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  const measure = async ({ file, at, seenIn }: (typeof saves)[number], round: number): Promise<number> => {
    const path = join(project.folder, file);
    const text = readFileSync(path, 'utf8');
    const mark = said.length;
    const changed = seenIn
      ? text.replace(new RegExp(`${seenIn}[^.]*\\.`), `${seenIn} ${round}.`)
      : `${text}globalThis.saved = ${round};\n`;
    writeFileSync(`${path}~`, changed);
    const began = performance.now();
    renameSync(`${path}~`, path);
    while (performance.now() - began < patience) {
      const seen = seenIn ? (await ask(at)).includes(`${seenIn} ${round}.`) : said.slice(mark).includes('reloaded');
      if (seen && !seenIn) await ask(at);
      if (seen) return performance.now() - began;
      await sleep(20);
    }
    throw new Error(`A save of ${file} was not seen; the server said:\n${said.slice(mark)}`);
  };
  // What somebody calls is made anew first.
  for (const { at } of saves) await ask(at);
  const rows: [string, number, number][] = [];
  for (const save of saves) {
    const times: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      times.push(await measure(save, round));
      // The synthesis that a save may bring about is none of the next one's.
      await sleep(4_000);
    }
    rows.push([save.what, median(times), Math.max(...times)]);
  }
  server.kill();
  project.remove();
  console.log(`\nFrom a save to the first answer that shows it, ${rounds} saves each\n`);
  console.log(table(['save of', 'median ms', 'worst ms'], rows));
};
