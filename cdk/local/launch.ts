import type { Assembly } from '../build/synthesize.ts';
import { loadTokenKey } from './auth/signing-key.ts';
import { greeting, whereDataGo } from './banner.ts';
import { importExport } from './engine/import-table.ts';
import { startEngine, UnusableData } from './engine/start-engine.ts';
import { connect } from './engine/table.ts';
import { readExport } from './engine/table-export.ts';
import { assertFree, explainListening, warningOf } from './listen-address.ts';
import { lockFolder } from './lock-folder.ts';
import type { StartOptions } from './options.ts';
import { journalAsJson, journalForPeople } from './request-log.ts';
import { localTableName, type Server, startServer } from './server.ts';

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

/** A server that runs, and can change its stack. */
export interface Running {
  /** Functions whose code lies in these folders run what lies there now. */
  readonly renew: (folders: ReadonlySet<string>) => void;
  /** The folders of the functions that somebody has called. */
  readonly inUse: () => ReadonlySet<string>;
  /** Serves another template at the same address; the one before goes on when this one cannot be served. */
  readonly replace: (assembly: Assembly) => Promise<void>;
  /** @param code what the process exits with */
  readonly stop: (code?: number) => Promise<void>;
}

/** What is quick to know comes first: nobody waits for a bundle to read that the port is taken. */
const start = async (options: StartOptions, assemble: () => Promise<Assembly>): Promise<Running> => {
  const { host, port, folder } = options;
  await assertFree(options);
  if (options.importFrom) readExport(options.importFrom);
  if (folder) await lockFolder(folder);
  const tokenKey = await loadTokenKey(folder);
  console.error('Bundling the functions, synthesizing the stack, starting DynamoDB …');
  const [first, engine] = await Promise.all([assemble(), startEngine({ folder })]);
  const { endpoint } = engine;
  let assembly = first;
  const write = (text: string) => process.stdout.write(text);
  const { log, arrive } = options.json ? journalAsJson(write) : journalForPeople(write, process.stdout.isTTY);
  const serve = (served: Assembly, at: number) =>
    startServer({ assembly: served, endpoint, host, port: at, folder, tokenKey, log, arrive });
  const load = async (importFrom: string) => {
    console.error(`Loading ${importFrom} …`);
    const client = connect(endpoint);
    console.error(`Loaded ${await importExport(client, first.template, localTableName, importFrom)}`);
    client.destroy();
  };
  const begin = async () => {
    if (options.importFrom) await load(options.importFrom);
    return serve(assembly, port);
  };
  let server: Server = await begin().catch(async error => {
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
    process.exit(code);
  };
  process.on('SIGINT', () => stop()).on('SIGTERM', () => stop());
  console.log(greeting(server.url, whereDataGo(engine.name, folder), options.webhook));
  const warning = warningOf(options);
  if (warning) console.error(warning);
  return {
    renew: folders => server.renew(folders),
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

/** Starts a server. An error that keeps it from starting is printed, and ends the process. */
export const launch = (options: StartOptions, assemble: () => Promise<Assembly>): Promise<Running> =>
  start(options, assemble).catch(error => fail(explain(error, options)));
