import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Assembly } from '../synthesis/template.ts';
import { loadSigningKey } from './auth/signing-key.ts';
import { type Engine, startEngine, UnusableDataError } from './engine/start-engine.ts';
import { localSecret } from './events/aws-json-api.ts';
import type { StartOptions } from './options.ts';
import { createRequestLog } from './request-log.ts';
import { localTableName, startServer } from './server.ts';
import { DataFolderError, isImported, makePrivate, openState } from './state.ts';
import { whenOrphaned } from './when-orphaned.ts';

const banner = (
  url: string,
  data: string,
  { webhook, publicUrl = url }: StartOptions,
  secret?: string,
) => `Petstore is ready at ${url}
${data}${secret ? '\nThe data is private (--private, or no server created it): every client has the secret below until this server stops.' : ''}${webhook ? `\nEvery event is sent to ${webhook}, signed with the secret ${localSecret}` : ''}

In a browser: ${publicUrl}/docs

Try it (each line uses variables of the lines before it):
${secret ? `  SECRET=${secret}\n` : ''}  TOKEN=$(curl -s -u staff:${secret ? '$SECRET' : 'local'} -d grant_type=client_credentials ${url}/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  pet() { curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }
  CATEGORY=$(pet ${url}/pets/categories -d '{"name":"Birds"}' | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
  PET=$(pet ${url}/pets -d '{"name":"Kiwi","categoryId":'$CATEGORY'}' | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
  pet -X PUT ${url}/store/inventory/$PET -d '{"quantity":3}'
  pet ${url}/store/orders -H "Idempotency-Key: order-$PET" -d '{"petId":'$PET',"quantity":2}'
  curl -s '${url}/pets?status=available'

Ctrl-C stops it.`;

const dataLocation = ({ name, endpoint }: Engine, folder: string | undefined): string => {
  if (process.env.DYNAMODB_ENDPOINT) return `Data is stored in the DynamoDB at ${endpoint}.`;
  return `${name} stores its data in ${folder ?? 'memory. It is lost when the server stops'}.`;
};

/** The local secrets are public, so other machines should not reach the server. */
const exposureWarning = ({ host }: StartOptions): string | undefined =>
  /^(127\.|::1$|localhost$)/.test(host)
    ? undefined
    : `Warning: every machine that can connect to ${host} has full access, also as staff: the secret of every local client is "local".`;

const explain = (error: NodeJS.ErrnoException, { host, port, folder }: StartOptions): string => {
  const { DYNAMODB_ENDPOINT: endpoint } = process.env;
  if (error instanceof DataFolderError)
    return `Petstore cannot store its data in ${folder}: ${error.message}\nChoose a folder that you can write to: npm start -- --data FOLDER. Or store nothing: npm start -- --memory`;
  if (error.code === 'EADDRINUSE')
    return `Port ${port} is in use. Stop the process that uses it, or choose another port: npm start -- --port ${port + 1}`;
  if (error.code === 'EACCES')
    return `Port ${port} needs permissions that this user does not have. Choose a port above 1023: npm start -- --port 3000`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `This machine has no address ${host}. Omit --host, or listen on all addresses: npm start -- --host 0.0.0.0`;
  const reason = `Petstore could not start: ${error.message}`;
  if (!(error instanceof UnusableDataError)) return reason;
  return endpoint
    ? `${reason}\nTo start without data, delete the table ${localTableName} at ${endpoint}. All its items are lost.`
    : `${reason}\nTo start without data, delete the folder ${folder}. All local data in it is lost.`;
};

/** An engine answers the pages of every origin, so none must find it. macOS has only one loopback address. */
const hiddenAddress = (): string | undefined =>
  process.platform === 'darwin'
    ? undefined
    : ['127', ...Array.from('123', () => randomInt(1, 255))].join('.');

/** @throws the error of listening at this address */
const assertPortFree = async ({ host, port }: StartOptions): Promise<void> => {
  const server = createServer();
  await once(server.listen(port, host), 'listening');
  await once(server.close(), 'close');
};

/** Quick checks come before the slow bundling, so that a port in use is reported at once. */
const start = async (options: StartOptions, assemble: () => Promise<Assembly>) => {
  const { folder } = options;
  let stop: (code?: number) => Promise<void> = async (code = 0) => process.exit(code);
  // Before the slow part: a process with the id 1 of a container ends at no signal that it does not handle (signal(7)).
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop());
  whenOrphaned(() => stop());
  await assertPortFree(options);
  // Locks the data folder.
  const state = openState(folder);
  const privateSecret =
    options.isPrivate || isImported(folder) ? randomBytes(24).toString('base64url') : undefined;
  if (privateSecret && folder) makePrivate(folder);
  const signingKey = await loadSigningKey(privateSecret ? undefined : folder);
  console.error('Bundling the functions, synthesizing the stack, starting DynamoDB …');
  const [assembly, engine] = await Promise.all([
    assemble(),
    startEngine({ folder, host: privateSecret && hiddenAddress() }),
  ]);
  const requestLog = createRequestLog(text => process.stdout.write(text), process.stdout.isTTY);
  const { endpoint, trimStream } = engine;
  const own = { assembly, endpoint, trimStream, state, signingKey, privateSecret };
  const server = await startServer({ ...options, ...own, ...requestLog }).catch(async error => {
    await engine.stop();
    throw error;
  });

  let isStopping = false;
  stop = async (code = 0) => {
    if (isStopping) return;
    isStopping = true;
    await server.stop();
    await engine.stop();
    state.close();
    process.exit(code);
  };
  engine.ended.then(() => {
    if (isStopping) return;
    const data = folder
      ? 'No acknowledged write is lost: start it again.'
      : 'Its data was in memory, and is lost.';
    console.error(`${engine.name} ended, so Petstore ends. ${data}`);
    return stop(1);
  });
  console.log(banner(server.url, dataLocation(engine, folder), options, privateSecret));
  const exposed = privateSecret ? undefined : exposureWarning(options);
  for (const warning of [exposed, engine.warning]) if (warning) console.error(warning);
  return { port: server.port, reload: server.reload, stop };
};

export const launch = (options: StartOptions, assemble: () => Promise<Assembly>) =>
  start(options, assemble).catch((error): never => {
    console.error(explain(error, options));
    process.exit(1);
  });
