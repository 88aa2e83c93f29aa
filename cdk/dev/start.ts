import { synthesise } from '../assembly/synthesise.ts';
import { startEngine } from './engine.ts';
import { greeting, whereDataGo } from './greeting.ts';
import { assertFree, explainListening, warningOf } from './listening.ts';
import { lockFolder } from './lock.ts';
import { readOptions, type StartOptions, usage } from './options.ts';
import { localTableName, startServer } from './server.ts';
import { loadTokenKey } from './tokens/key.ts';
import { UnusableData } from './unusable-data.ts';

const fail = (message: string): never => {
  console.error(message);
  process.exit(1);
};

/** A mistake here costs data: what to delete is named with all that goes with it. */
const startAfresh = (folder: string | undefined): string => {
  const { DYNAMODB_ENDPOINT: endpoint } = process.env;
  if (endpoint) return `To start afresh, delete the table ${localTableName} at ${endpoint}: what it holds is lost.`;
  return `To start afresh, delete the folder ${folder}: all local data in it are lost.`;
};

const explain = (error: Error, options: StartOptions): string => {
  const reason = explainListening(error, options) ?? `Petstore could not start: ${error.message}`;
  return error instanceof UnusableData ? `${reason}\n${startAfresh(options.folder)}` : reason;
};

/** What is quick to know comes first: nobody waits for a bundle to read that the port is taken. */
const start = async (options: StartOptions): Promise<void> => {
  const { host, port, folder } = options;
  await assertFree(options);
  if (folder) await lockFolder(folder);
  const tokenKey = await loadTokenKey(folder);
  console.error('Bundling the functions, synthesising the stack, starting DynamoDB …');
  const [assembly, engine] = await Promise.all([synthesise({ stage: 'local' }), startEngine({ folder })]);
  const { endpoint } = engine;
  const server = await startServer({ assembly, endpoint, host, port, tokenKey }).catch(async error => {
    await engine.stop();
    throw error;
  });
  const stop = async () => {
    await server.stop();
    await engine.stop();
    process.exit(0);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  console.log(greeting(server.url, whereDataGo(engine.name, folder)));
  const warning = warningOf(options);
  if (warning) console.error(warning);
};

const optionsOf = (args: readonly string[]) => {
  try {
    return readOptions(args);
  } catch (error) {
    return fail(`${(error as Error).message}\n${usage}`);
  }
};

const options = optionsOf(process.argv.slice(2));
if (options === 'help') console.log(usage);
else await start(options).catch(error => fail(explain(error, options)));
