import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { settingsOf } from '../../cdk/config/settings.ts';
import { attach, type Inspector } from '../support/debugger.ts';
import { ready, run } from '../support/processes.ts';

const root = join(import.meta.dirname, '../..');
const { configurations } = JSON.parse(readFileSync(join(root, '.vscode/launch.json'), 'utf8'));
const program = configurations[0].program.replace(/^\$\{workspaceFolder\}\//, '');

/** The line of a file that contains a text. */
const breakpointAt = (file: string, code: string) => {
  const line = readFileSync(join(root, file), 'utf8')
    .split('\n')
    .findIndex(text => text.includes(code));
  expect(line, code).toBeGreaterThan(0);
  return { file, line };
};
const breakpoints = [
  breakpointAt('functions/getPet.ts', 'handle(getPet)'),
  breakpointAt('lib/model/pets.ts', 'existing(await find(id))'),
];

/** Maps a position in a script to its source, with the script's source map. */
const sourcesOf = ({ url, sourceMapURL }: { url: string; sourceMapURL: string }) => {
  const file = fileURLToPath(new URL(sourceMapURL, url));
  const payload = JSON.parse(readFileSync(file, 'utf8'));
  const map = new SourceMap(payload);
  return (line: number, column: number) => {
    const entry = map.findEntry(line, column);
    if (!('originalSource' in entry)) return undefined;
    const source = fileURLToPath(new URL(payload.sourceRoot + entry.originalSource, `file://${file}`));
    return { file: relative(root, source), line: entry.originalLine, column: entry.generatedColumn };
  };
};

it('a debugger stops at breakpoints in functions/ and lib/ for longer than the timeout of a function', async () => {
  // The launch configuration of the editor, with any port and no data folder.
  const server = run(program, ['--port', '0', '--memory'], { node: ['--inspect=0'] });
  await expect.poll(server.output).toMatch(/Debugger listening on ws:/);
  const stops: string[] = [];

  /** As an editor does: pauses before a script with a source map runs, sets the breakpoints, and resumes. */
  const prepare = async (thread: Inspector) => {
    const scripts = new Map<string, { url: string; sourceMapURL: string; scriptId: string }>();
    let sourceOf: ReturnType<typeof sourcesOf> | undefined;
    thread.on('Debugger.scriptParsed', script => scripts.set(script.scriptId, script));
    thread.on('Debugger.paused', async ({ reason, data, callFrames }) => {
      const id = reason === 'instrumentation' ? data.scriptId : callFrames[0].location.scriptId;
      const script = scripts.get(id)!;
      if (script.url.endsWith('/getPet/index.mjs')) {
        sourceOf ??= sourcesOf(script);
        if (reason === 'instrumentation') await setBreakpoints(thread, script, sourceOf);
        else {
          const { lineNumber, columnNumber } = callFrames[0].location;
          const place = sourceOf(lineNumber, columnNumber);
          // Once, and before the call to DynamoDB, which times out after a second.
          const isFirst = place?.file.startsWith('lib/') && !stops.some(stop => stop.startsWith('lib/'));
          stops.push(`${place?.file}:${place?.line}`);
          if (isFirst) await sleep(settingsOf('local').limits.getPet.timeout * 1000 + 500);
        }
      }
      await thread.send('Debugger.resume');
    });
    await thread.send('Debugger.enable');
    await thread.send('Debugger.setInstrumentationBreakpoint', {
      instrumentation: 'beforeScriptWithSourceMapExecution',
    });
  };

  await attach(/ws:\S+/.exec(server.output())![0], prepare);
  const pet = `${await ready(server)}/pets/1`;
  const first = await fetch(pet);
  // The pause may have used up the retry budget of the request.
  const response = first.status === 503 ? await fetch(pet) : first;
  expect(response.status, server.output()).toBe(404);
  for (const { file, line } of breakpoints) expect(stops).toContain(`${file}:${line}`);
});

const setBreakpoints = async (
  thread: Inspector,
  { url, scriptId }: { url: string; scriptId: string },
  sourceOf: ReturnType<typeof sourcesOf>,
) => {
  const text = readFileSync(fileURLToPath(url), 'utf8').split('\n');
  for (const { file, line } of breakpoints) {
    for (const [lineNumber, { length }] of text.entries()) {
      for (let column = 0; column < length; column++) {
        const place = sourceOf(lineNumber, column);
        if (place?.file !== file || place.line !== line || place.column !== column) continue;
        await thread.send('Debugger.setBreakpoint', { location: { scriptId, lineNumber, columnNumber: column } });
      }
    }
  }
};
