import { cpSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { run } from '../support/processes.ts';
import { copyProject } from '../support/project-copy.ts';

const root = join(import.meta.dirname, '../..');

/** npm script → the file that it runs. `check` runs a file of a package. */
const scripts = Object.entries(manifest.scripts).flatMap(([name, command]) => {
  const [, file] = /^node ((?:cdk|test)\/\S+\.ts)$/.exec(command) ?? [];
  return file ? [[name, file] as const] : [];
});

/** Each file of a folder with its size and the time of its last change. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesOf(path);
    const { size, mtimeMs } = statSync(path);
    return entry.isFile() ? [`${path} ${size} ${mtimeMs}`] : [];
  });

describe('an npm script', () => {
  let project: Awaited<ReturnType<typeof copyProject>>;
  beforeAll(async () => {
    project = await copyProject();
    for (const name of ['test', 'README.md', '.github'])
      cpSync(join(root, name), join(project.folder, name), {
        recursive: true,
        filter: path => !path.includes('node_modules'),
      });
  });
  afterAll(() => project.remove());

  const call = async (file: string, option: string) => {
    const before = filesOf(project.folder);
    const { child, exit, output } = run(file, [option], { cwd: project.folder });
    let out = '';
    child.stdout!.on('data', chunk => (out += chunk));
    const code = await exit;
    expect(filesOf(project.folder), 'it changed files').toEqual(before);
    return { code, out, output: output() };
  };

  it('is in this test if it runs a file of the project', () => {
    const commands = Object.values(manifest.scripts).filter(command => /^node (cdk|test)\S+$/.test(command));
    expect(scripts.map(([, file]) => `node ${file}`)).toEqual(commands);
    expect(scripts.length).toBeGreaterThan(10);
  });

  it.each(scripts)('%s prints its usage for --help', async (name, file) => {
    const { code, out } = await call(file, '--help');
    expect(out).toMatch(new RegExp(`^npm (run )?${name}\\b`));
    expect(code).toBe(0);
  });

  it.each(scripts)('%s rejects an unknown option without a stack trace', async (_, file) => {
    const { code, output } = await call(file, '--nonsense');
    expect(output).toContain("'--nonsense'");
    expect(output).not.toMatch(/^ {4}at /m);
    expect(code).not.toBe(0);
  });
});

describe('an unknown stage', () => {
  it('is reported by npm run cost without a stack trace', async () => {
    const { exit, output } = run('cdk/commands/cost.ts', ['--stage', 'production']);
    expect(await exit).toBe(1);
    expect(output()).toBe('There is no stage "production". There are dev, beta, prod (cdk/config/settings.ts).\n');
  });

  it('is reported by the CDK app without a stack trace', async () => {
    const { exit, output } = run('cdk/app.ts', [], { env: { CDK_CONTEXT_JSON: '{"stage":"production"}' } });
    expect(await exit).toBe(1);
    expect(output()).toBe('There is no stage "production". There are dev, beta, prod (cdk/config/settings.ts).\n');
  });
});
