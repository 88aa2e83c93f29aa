import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import document from '../../cdk/openapi/openapi.json' with { type: 'json' };
import { usePetstore } from '../support/petstore.ts';
import { uniquePort } from '../support/unique-port.ts';

/**
 * Client libraries and validators of other projects. Each runs the same scenario: a category, pets, all pages of them, an
 * update, inventory, an order and its replay, a 409 with its code, a cancellation. None needs a workaround.
 */

const petstore = usePetstore();
const root = join(import.meta.dirname, '../..');
const packages = join(import.meta.dirname, 'node_modules');
const run = (file: string, args: string[], env: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, [file, ...args], { cwd: folder, env: { ...process.env, ...env } });

let folder: string;
beforeAll(async () => {
  // Below the packages that the programs import, and in a folder that git ignores.
  await mkdir(join(import.meta.dirname, '.petstore'), { recursive: true });
  folder = await mkdtemp(join(import.meta.dirname, '.petstore/programs-'));
  await cp(join(import.meta.dirname, 'programs'), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** With strict options, as a user of the client would. */
const compile = (file: string) => {
  const options = '--strict --noEmit --skipLibCheck --target es2024 --module esnext --moduleResolution bundler';
  const more = '--allowImportingTsExtensions --lib es2024,dom,dom.iterable --types node';
  return run(join(root, 'node_modules/typescript/bin/tsc'), [...options.split(' '), ...more.split(' '), file]);
};

const generate: Record<string, () => Promise<unknown>> = {
  'openapi-fetch': async () => {
    await mkdir(join(folder, 'openapi-fetch'), { recursive: true });
    const cli = join(root, 'node_modules/openapi-typescript/bin/cli.js');
    return run(cli, [documentFile, '--output', 'openapi-fetch/paths.ts']);
  },
  'hey-api': async () => {
    const output = "{ path: 'hey-api', importFileExtension: '.ts' }";
    const plugins = "['@hey-api/client-fetch', '@hey-api/sdk']";
    const config = `export default { input: ${JSON.stringify(documentFile)}, output: ${output}, plugins: ${plugins} };`;
    await writeFile(join(folder, 'openapi-ts.config.mjs'), config);
    return run(join(packages, '@hey-api/openapi-ts/bin/run.js'), ['--file', 'openapi-ts.config.mjs']);
  },
  orval: async () => {
    const output = {
      ...{ target: 'orval/petstore.ts', client: 'fetch', baseUrl: petstore.url },
      headers: true,
    };
    const config = `export default ${JSON.stringify({ petstore: { input: documentFile, output } })};`;
    await writeFile(join(folder, 'orval.config.mjs'), config);
    return run(join(packages, 'orval/dist/bin/orval.mjs'), ['--config', 'orval.config.mjs']);
  },
};

const runProgram = async (program: string, url = petstore.url) => {
  const { stdout } = await run(join(folder, program), [], {
    PETSTORE_URL: url,
    PETSTORE_TOKEN: await petstore.token('staff'),
  });
  return JSON.parse(stdout);
};

const expectedOutput = {
  names: ['Felix', 'Kit', 'Tom'],
  ...{ same: true, replayed: 'true', code: 'insufficient_stock', canceled: 204 },
};

describe('a client library', () => {
  it.each(['openapi-fetch', 'hey-api', 'orval'])('%s compiles and completes the scenario', async name => {
    await generate[name]!();
    await compile(`${name}.ts`);
    expect(await runProgram(`${name}.ts`)).toEqual(expectedOutput);
  });

  it('swagger-client completes the scenario', async () => {
    expect(await runProgram('swagger-client.js')).toEqual(expectedOutput);
  });
});

describe('a validator', () => {
  beforeAll(() => generate['openapi-fetch']!());

  /** Runs the scenario through Prism, which rejects undocumented requests and responses. */
  const runThroughPrism = async (served: string) => {
    const port = String(uniquePort());
    const file = join(folder, `served-${port}.json`);
    await writeFile(file, served);
    const cli = join(packages, '@stoplight/prism-cli/dist/index.js');
    const prism = spawn(process.execPath, [cli, 'proxy', file, petstore.url, '--errors', '--port', port]);
    let output = '';
    const listen = (data: Buffer) => {
      output += data;
    };
    for (const stream of [prism.stdout, prism.stderr]) stream.on('data', listen);
    await expect.poll(() => output, { timeout: 60_000 }).toContain('listening on');
    return runProgram('openapi-fetch.ts', `http://127.0.0.1:${port}`).finally(() => prism.kill());
  };

  it('Prism, as a validating proxy, rejects nothing in the scenario', async () => {
    const { text } = await petstore.anonymous('GET', '/openapi.json');
    expect(await runThroughPrism(text)).toEqual(expectedOutput);
    const changed = JSON.parse(text);
    changed.components.schemas.Order.required = ['color'];
    await expect(runThroughPrism(JSON.stringify(changed))).rejects.toThrow();
  });

  /**
   * Dredd writes to a file, because it ends with `process.exit`, which discards output that is still in a pipe.
   * https://nodejs.org/api/process.html#a-note-on-process-io
   */
  const namesByDredd = async () => {
    const file = join(folder, 'dredd.txt');
    const output = await open(file, 'w');
    const args = [join(packages, 'dredd/bin/dredd'), documentFile, petstore.url, '--names'];
    const env = { ...process.env, NODE_NO_WARNINGS: '1' };
    const dredd = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', output.fd, 'inherit'] });
    const [code] = await once(dredd, 'exit');
    await output.close();
    expect(code).toBe(0);
    return readFile(file, 'utf8');
  };

  it('Dredd starts and finds an example of every operation', async () => {
    const names = await namesByDredd();
    const successes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).map(({ summary }) => `${path} > ${summary} > 20`),
    );
    for (const success of successes) expect(names).toContain(success);
  });
});
