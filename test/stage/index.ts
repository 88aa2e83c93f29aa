import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createVitest } from 'vitest/node';
import {
  commandOf,
  flag,
  print as printLine,
  runMain,
  text,
  UsageError,
  type Values,
} from '../../cdk/command.ts';
import {
  apiOptions,
  apiUsageOf,
  findApi,
  findTokenUrl,
  openPetstore,
} from '../../cdk/commands/shared/api.ts';
import { stages } from '../../cdk/stages.ts';
import { resourceServer, type Scope, scopes } from '../../lib/scopes.ts';
import { cleanUp } from './clean-up.ts';
import { lineReporter } from './line-reporter.ts';
import type { Stage } from './stage.ts';

const usage = `npm run verify -- (--stage NAME | --url URL --client ID) [--read-only] [-t TEXT]
Tests from outside what only a deployed stage can show. Run one at a time: a run removes what others left.
${apiUsageOf('verify')}
  --read-only      writes nothing, and the default client is "monitor". Otherwise callers can read the category and pets
                   that it creates until it deletes them
  --as NAME        the stage of cdk/stages.ts whose limits and dates the document must have (default: that of --stage;
                   with --url or --local prod)
  -t TEXT          only the tests with TEXT in their name, in upper or lower case
It needs a client with the scope orders.read, or unless it is read-only with catalog, inventory and orders. It lists the
tests that the client cannot make. It changes an order only with orders.manage.`;

const options = {
  ...apiOptions,
  as: text,
  'read-only': flag,
  test: { ...text, short: 't' },
} as const;

const openApi = async (values: Values<typeof options>) => {
  const named = values.as ?? values.stage;
  if (named !== undefined && !Object.hasOwn(stages, named))
    throw new UsageError(
      `cdk/stages.ts has no stage "${named}", so its limits are unknown. Check out the deployed version.`,
    );
  const { url, client, secret } = await findApi(values, values['read-only'] ? 'monitor' : 'verify');
  const petstore = await openPetstore({ url, client, secret });
  const tokenUrl = await findTokenUrl(url);
  /** RFC 6749, section 4.4. @param scope the only scope of the token */
  const tokenOf = async (scope?: Scope): Promise<string> => {
    const scoped = scope && { scope: `${resourceServer}/${scope}` };
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...scoped });
    const headers = { Authorization: `Basic ${btoa(`${client}:${secret}`)}` };
    const response = await fetch(tokenUrl, { method: 'POST', headers, body });
    const { access_token, error = '' } = (await response.json().catch(() => ({}))) as Record<
      string,
      string
    >;
    if (access_token) return access_token;
    throw new Error(
      `${tokenUrl} issued no token for the client "${client}": ${response.status} ${error}`,
    );
  };
  const token = await tokenOf();
  const { scope } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
  const granted = scopes.filter(name => scope.split(' ').includes(`${resourceServer}/${name}`));
  const tokenOfScope = (name: Scope) => (granted.includes(name) ? tokenOf(name) : undefined);
  const ofOrders = granted.includes('orders') ? 'orders' : 'orders.read';
  const tokens = {
    client: token,
    catalog: await tokenOfScope('catalog'),
    [ofOrders]: await tokenOfScope(ofOrders),
  };
  const local = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
  const createdFile = join(tmpdir(), `petstore-verify-${crypto.randomUUID()}`);
  const rate = local ? 1_000 : 10;
  const settingsOf = named ?? 'prod';
  const stage: Stage = {
    url,
    settingsOf,
    tokens,
    scopes: granted,
    readOnly: values['read-only'],
    rate,
    createdFile,
  };
  return { stage, createdFile, petstore, local };
};

export const command = commandOf({ usage, options }, async values => {
  const { stage, createdFile, petstore, local } = await openApi(values);
  const { counts, print, reporter } = lineReporter(
    local ? 'local' : 'observed',
    values.test === undefined,
  );
  const remove = async (name: string, created?: number[]) => {
    const left = await cleanUp(petstore, created);
    print(
      left.length > 0 ? 'FAILED' : 'ok',
      name,
      left.length > 0 ? `the categories ${left} are left` : '',
    );
  };
  if (!stage.readOnly) await remove('removes what earlier runs left');
  writeFileSync(createdFile, '');
  const vitest = await createVitest({
    config: false,
    watch: false,
    root: join(import.meta.dirname, '../..'),
    include: ['test/stage/*.test.ts'],
    // A stage allows one or two requests a second of each method.
    fileParallelism: false,
    isolate: false,
    pool: 'threads',
    testTimeout: 120_000,
    retry: local ? 0 : 1,
    ...(values.test && { testNamePattern: new RegExp(values.test.replace(/\W/g, '\\$&'), 'i') }),
    reporters: [reporter],
    provide: { stage },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Vite's handlers would end this process before it has removed what it created.
    process.removeAllListeners(signal);
    process.once(signal, () => {
      print('FAILED', 'the run was stopped', 'it removes what it created first');
      void vitest.cancelCurrentRun('keyboard-input');
    });
  }
  try {
    const before = { ...counts };
    await vitest.start();
    await vitest.close();
    if (isDeepStrictEqual(counts, before))
      print('FAILED', `no test has "${values.test}" in its name`);
  } finally {
    const created = readFileSync(createdFile, 'utf8').split('\n').filter(Boolean).map(Number);
    if (!stage.readOnly) await remove('removes what it created', created);
    rmSync(createdFile);
  }
  const totals = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  printLine(`\n${totals.join(', ')}`);
  return counts.FAILED! > 0 ? 1 : 0;
});

if (import.meta.main) await runMain(command);
