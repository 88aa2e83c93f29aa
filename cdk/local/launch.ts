import type { Assembly } from '../build/synthesize.ts';
import { loadSigningKey } from './auth/signing-key.ts';
import { banner, dataLocation } from './banner.ts';
import { DataFolderError, startEngine, UnusableDataError } from './engine/start-engine.ts';
import { assertPortFree, explainListenError, exposureWarning } from './listen-address.ts';
import type { StartOptions } from './options.ts';
import { createRequestLog } from './request-log.ts';
import { localTableName, type Server, startServer } from './server.ts';
import { openState, type State } from './state.ts';

const fail = (message: string): never => {
  console.error(message);
  process.exit(1);
};

/** Names what to delete, and what is lost with it. */
const resetInstructions = (folder: string | undefined): string => {
  const { DYNAMODB_ENDPOINT: endpoint } = process.env;
  return endpoint
    ? `To start without data, delete the table ${localTableName} at ${endpoint}. All its items are lost.`
    : `To start without data, delete the folder ${folder}. All local data in it is lost.`;
};

const explain = (error: NodeJS.ErrnoException, options: StartOptions): string => {
  if (error instanceof DataFolderError)
    return `Petstore cannot store its data in ${options.folder}: ${error.message}\nChoose a folder that you can write to: npm start -- --data FOLDER. Or store nothing: npm start -- --memory`;
  const reason = explainListenError(error, options) ?? `Petstore could not start: ${error.message}`;
  return error instanceof UnusableDataError ? `${reason}\n${resetInstructions(options.folder)}` : reason;
};

/** A running server. */
interface RunningServer {
  /** Functions with code in these folders load it again. */
  readonly reload: (folders: ReadonlySet<string>) => void;
  /** The code folders of the functions that were invoked. */
  readonly inUse: () => ReadonlySet<string>;
  /** Serves another template at the same address, or still the old one when that fails. */
  readonly replace: (assembly: Assembly) => Promise<void>;
  /** @param code the exit code of the process */
  readonly stop: (code?: number) => Promise<void>;
}

/** Opens the state, and so locks the data folder. */
const lockFolder = (folder: string | undefined): State => {
  try {
    return openState(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new DataFolderError(message, { cause: error });
  }
};

/** Quick checks come before the slow bundling, so that a port in use is reported at once. */
const start = async (options: StartOptions, assemble: () => Promise<Assembly>): Promise<RunningServer> => {
  const { host, port, folder } = options;
  await assertPortFree(options);
  const state = lockFolder(folder);
  const signingKey = await loadSigningKey(folder);
  console.error('Bundling the functions, synthesizing the stack, starting DynamoDB …');
  const [first, engine] = await Promise.all([assemble(), startEngine({ folder })]);
  const { endpoint, trimStream } = engine;
  let assembly = first;
  const { log, onResponse } = createRequestLog(text => process.stdout.write(text), process.stdout.isTTY);
  const serve = (served: Assembly, at: number) =>
    startServer({ assembly: served, endpoint, host, port: at, state, signingKey, log, onResponse, trimStream });
  let server: Server = await serve(assembly, port).catch(async error => {
    await engine.stop();
    throw error;
  });
  const bound = Number(new URL(server.url).port || 80);

  let stopping = false;
  const stop = async (code = 0) => {
    if (stopping) return;
    stopping = true;
    await server.stop();
    await engine.stop();
    state.close();
    process.exit(code);
  };
  process.on('SIGINT', () => stop()).on('SIGTERM', () => stop());
  engine.ended.then(() => {
    if (stopping) return;
    const data = folder ? 'No acknowledged write is lost: start it again.' : 'Its data was in memory, and is lost.';
    console.error(`${engine.name} ended, so Petstore ends. ${data}`);
    return stop(1);
  });
  console.log(banner(server.url, dataLocation(engine.name, folder), options.webhook));
  for (const warning of [exposureWarning(options), engine.warning]) if (warning) console.error(warning);
  return {
    reload: folders => server.reload(folders),
    inUse: () => server.inUse(),
    replace: async next => {
      await server.stop();
      try {
        server = await serve(next, bound);
        assembly = next;
      } catch (error) {
        server = await serve(assembly, bound);
        throw new Error(explain(error as Error, options));
      }
    },
    stop,
  };
};

/** Starts a server. An error that keeps it from starting is printed and ends the process. */
export const launch = (options: StartOptions, assemble: () => Promise<Assembly>): Promise<RunningServer> =>
  start(options, assemble).catch(error => fail(explain(error, options)));
