import { execFile } from 'node:child_process';
import { parseYaml } from '@redocly/openapi-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { hasCommand } from '../support/has-command.ts';
import { type Petstore, startPetstore, usePetstore } from '../support/petstore.ts';
import { read } from '../support/project.ts';
import { makeCertificate, startTlsProxy } from '../support/tls-proxy.ts';

const tokens = usePetstore();
let [healthy, rejecting]: Petstore[] = [];
const started: { stop: () => unknown }[] = [];
beforeAll(async () => {
  const TOKEN_URL = `${tokens.url}/oauth2/token`;
  healthy = await startPetstore({ environment: { TOKEN_URL } });
  // Rejects every token, as with a wrong authorizer.
  rejecting = await startPetstore({
    environment: { TOKEN_URL, TOKENS_VALID_FROM: '2099-01-01T00:00:00Z' },
  });
  started.push(healthy, rejecting);
});
afterAll(() => Promise.all(started.map(({ stop }) => stop())));

// The hourly probe is a script in the workflow, so that it needs neither a checkout nor `npm ci`.
const { jobs } = parseYaml(read('.github/workflows/monitor.yml')) as {
  jobs: { probe: { steps: [{ run: string }] } };
};
const [{ run: script }] = jobs.probe.steps;

const probe = async (
  served: Petstore,
  { days = 30, path = '', CLIENT = 'monitor', SECRET = 'local' } = {},
) => {
  const proxy = await startTlsProxy(served.url, makeCertificate('localhost', days));
  started.push(proxy);
  const { PATH } = process.env;
  const env = {
    PATH,
    CURL_CA_BUNDLE: proxy.certificate,
    URL: `${proxy.url}/${path}`,
    CLIENT,
    SECRET,
  };
  const { promise, resolve } = Promise.withResolvers<{ failed: boolean; output: string }>();
  // As GitHub runs a script with `shell: bash`.
  execFile(
    'bash',
    ['-eo', 'pipefail', '-c', script],
    { cwd: tempFolder('probe'), env },
    (error, stdout, stderr) => resolve({ failed: error !== null, output: stdout + stderr }),
  );
  return promise;
};

const isInstalled = hasCommand('curl') && hasCommand('openssl', 'version');
const protectedRead = 'store/orders?limit=1: expected 200 with [, got 40';
const everyFailure = [
  'pets?limit=1: expected 200 with [, got 404',
  'categories',
  'expected 401',
  'openapi',
  'access_',
];
it
  .runIf(isInstalled)
  .each<[string, () => Petstore, Parameters<typeof probe>[1], ...errors: string[]]>([
    ['nothing for a healthy stage', () => healthy!, {}],
    [
      'a certificate that ends in 13 days',
      () => healthy!,
      { days: 13 },
      'expected a certificate with 14 days or more',
    ],
    ['401 for everybody', () => rejecting!, {}, protectedRead],
    [
      'a wrong secret',
      () => healthy!,
      { SECRET: 'old' },
      '/oauth2/token: expected 200',
      protectedRead,
    ],
    ['every failure', () => healthy!, { path: 'x' }, ...everyFailure, protectedRead],
  ])('the probe reports %s', async (_, served, options, ...errors) => {
  const { failed, output } = await probe(served(), options);
  expect(output.match(/::error::.*/g) ?? []).toEqual(
    errors.map(text => expect.stringContaining(text)),
  );
  expect(failed).toBe(errors.length > 0);
});

it.runIf(isInstalled)('without a client, the probe requests no token, and says so', async () => {
  const { failed, output } = await probe(rejecting!, { CLIENT: '', SECRET: '' });
  expect([failed, output]).toEqual([
    false,
    expect.stringContaining('::notice::No token requested'),
  ]);
});
