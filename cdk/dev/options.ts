import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface StartOptions {
  readonly host: string;
  readonly port: number;
  /** Where data is kept between runs; absent: nowhere. */
  readonly folder: string | undefined;
  /** Whether logs have Lambda's form; otherwise they are for people. */
  readonly json: boolean;
}

export const usage = `npm start [-- --port N] [--host ADDRESS] [--data FOLDER] [--memory] [--json]
  --port N        where to listen (default 3000)
  --host ADDRESS  on which address (default 127.0.0.1: this machine alone; a container needs 0.0.0.0)
  --data FOLDER   where data is kept between runs (default .petstore)
  --memory        keep nothing
  --json          log as Lambda does, a line of JSON for each request
  --help          say this`;

/**
 * What the command line asks for; 'help' when it asks for that.
 * @throws when it asks for something that there is not
 */
export const readOptions = (args: readonly string[]): StartOptions | 'help' => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '3000' },
      data: { type: 'string', default: join(import.meta.dirname, '../../.petstore') },
      memory: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port ${values.port} is not a port number.`);
  return { host: values.host, port, folder: values.memory ? undefined : resolve(values.data), json: values.json };
};
