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
  { what: 'one function', file: 'functions/getCategory.ts', from: 'export const', at: undefined },
  { what: 'lib/errors.ts, which all functions have', file: 'lib/errors.ts', from: 'with this id', at: '/pets/1' },
] as const;

/** From a save to the first answer that shows it, of `npm run dev` on a copy of the project, in milliseconds. */
export const benchReload = async () => {
  const project = await copyProject();
  const server = spawn(
    process.execPath,
    [join(project.folder, 'cdk/dev/watch/dev.ts'), '--memory', '--port', String(port)],
    { cwd: project.folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', chunk => (said += chunk));
  while (!said.includes('Petstore is ready')) await sleep(50);

  const measure = async ({ file, from, at }: (typeof saves)[number], round: number): Promise<number> => {
    const path = join(project.folder, file);
    const text = readFileSync(path, 'utf8');
    const mark = said.length;
    writeFileSync(
      `${path}~`,
      at ? text.replace(/with this id[^.]*\./, `with this id ${round}.`) : `${text}globalThis.saved = ${round};\n`,
    );
    const began = performance.now();
    renameSync(`${path}~`, path);
    for (;;) {
      const seen = at
        ? (await (await fetch(`http://127.0.0.1:${port}${at}`)).text()).includes(`${from} ${round}.`)
        : said.slice(mark).includes('reloaded');
      if (seen && !at) await fetch(`http://127.0.0.1:${port}/pets/categories/1`);
      if (seen) return performance.now() - began;
      await sleep(5);
    }
  };
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
