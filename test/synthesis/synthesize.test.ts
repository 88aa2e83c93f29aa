import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { localStage, settingsOf } from '../../cdk/config/settings.ts';
import { localSettings } from '../../cdk/synthesis/synthesize.ts';
import { copyProject } from '../support/project-copy.ts';

/** Records the files that this process reads: with `fs`, and as modules. */
const trace = `
  import fs from 'node:fs';
  import { registerHooks, syncBuiltinESMExports } from 'node:module';
  globalThis.read = new Set();
  for (const name of ['readFileSync', 'openSync', 'copyFileSync', 'createReadStream']) {
    const original = fs[name];
    fs[name] = (path, ...rest) => (read.add(String(path)), original(path, ...rest));
  }
  syncBuiltinESMExports();
  registerHooks({ load: (url, context, next) => (read.add(url.replace('file://', '')), next(url, context)) });`;

it('the key of the cache changes with what a synthesis reads, and its options', async () => {
  // Packages are as package-lock.json says. esbuild, which has its own process, reads package.json and tsconfig.json.
  const others = ['package.json', 'package-lock.json', 'tsconfig.json'];
  const cwd = copyProject(['cdk', 'functions', 'lib', 'cdk.json', 'CHANGELOG.md', ...others]);
  const code = `
    import { appendFileSync } from 'node:fs';
    import { dirname, relative } from 'node:path';
    const { synthesize } = await import('./cdk/synthesis/synthesize.ts');
    const { cacheKeyOf } = await import('./cdk/synthesis/assembly-cache.ts');
    await synthesize({ stage: 'local' });
    const own = [...read].map(file => relative('.', file)).filter(file => !/^\\.\\.|node_modules|^\\w+:/.test(file));
    const files = new Map(own.map(file => [dirname(file) === '.' ? file : dirname(file), file]));
    for (const name of ${JSON.stringify(others)}) files.set(name, name);
    const keys = [{}, { stage: 'local' }, { settings: { events: false } }].map(cacheKeyOf);
    for (const file of files.values()) {
      appendFileSync(file, ' ');
      keys.push(cacheKeyOf({}));
    }
    console.log(JSON.stringify({ names: [...files.keys()], keys }));`;
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(trace)}`,
    '--input-type=module',
    '-e',
    code,
  ];
  const { names, keys } = JSON.parse(
    (await promisify(execFile)(process.execPath, args, { cwd })).stdout,
  );
  const read = ['CHANGELOG.md', 'cdk.json', 'cdk/openapi', 'cdk/stack', 'lib/operations'];
  expect(names).toEqual(expect.arrayContaining(read));
  const unnoticed = names.filter(
    (_: string, index: number) => keys[index + 3] === keys[index === 0 ? 0 : index + 2],
  );
  expect([new Set(keys.slice(0, 3)).size, unnoticed]).toEqual([3, []]);
});

it('npm start has the settings of local, with --throttle the rates of prod', async () => {
  const prod = {
    limits: { getPet: { rate: 3, burst: 7, timeout: 9 } },
    defaultThrottle: { rate: 2, burst: 9 },
  };
  const local = settingsOf('local', localStage);
  const changed = async (webhook: string | undefined, throttle: boolean) => {
    const changes = await localSettings({ webhook, throttle }, prod);
    return { ...local, ...changes };
  };
  expect(await changed(undefined, false)).toEqual(local);
  const webhook = {
    url: 'http://127.0.0.1:4000',
    types: ['petstore.*'],
    secret: 'petstore/local',
    concurrency: 10,
  };
  const { limits, defaultThrottle } = settingsOf('prod', prod);
  const { timeout } = local.limits.getPet;
  const rates = Object.fromEntries(
    Object.entries(limits).map(([id, limit]) => [id, { ...limit, timeout }]),
  );
  const expected = { ...local, webhooks: { local: webhook }, limits: rates, defaultThrottle };
  expect(await changed(webhook.url, true)).toEqual(expected);
  expect(limits.getPet.timeout).not.toBe(timeout);
});
