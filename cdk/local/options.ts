import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface StartOptions {
  readonly host: string;
  readonly port: number;
  /** Where data is kept between runs; absent: nowhere. */
  readonly folder: string | undefined;
  /** An export to S3, copied here, that the table is made of; absent: none. */
  readonly importFrom: string | undefined;
  /** Whether logs have Lambda's form; otherwise they are for people. */
  readonly json: boolean;
  /** The address of a server that is to be sent every event. */
  readonly webhook: string | undefined;
}

export const usage = `npm start [-- --port N] [--host ADDRESS] [--data FOLDER] [--memory] [--import FOLDER] [--json] [--webhook URL]
  --port N        where to listen (default 3000)
  --host ADDRESS  on which address (default 127.0.0.1: this machine alone; a container needs 0.0.0.0)
  --data FOLDER   where data is kept between runs (default .petstore)
  --memory        keep nothing
  --import FOLDER load a stage's table first: its export to S3 (DYNAMODB_JSON), copied into FOLDER
  --webhook URL   send every event to it, with X-Webhook-Secret: local (https, or http to this machine)
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
      import: { type: 'string' },
      json: { type: 'boolean', default: false },
      webhook: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port ${values.port} is not a port number.`);
  const { host, data, memory, json, webhook } = values;
  const importFrom = values.import === undefined ? undefined : resolve(values.import);
  return { host, port, folder: memory ? undefined : resolve(data), importFrom, json, webhook };
};
