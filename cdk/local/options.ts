import { join, resolve } from 'node:path';
import { commandOf } from '../commands/shared/command.ts';

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

const usage = `npm start [-- --port N] [--host ADDRESS] [--data FOLDER] [--memory] [--import FOLDER] [--json] [--webhook URL]
  --port N        where to listen (default 3000)
  --host ADDRESS  on which address (default 127.0.0.1: this machine alone; a container needs 0.0.0.0)
  --data FOLDER   where data is kept between runs (default .petstore)
  --memory        keep nothing
  --import FOLDER load a stage's table first: its export to S3 (DYNAMODB_JSON), copied into FOLDER
  --webhook URL   send every event to it, with X-Webhook-Secret: local (https, or http to this machine)
  --json          log as Lambda does, a line of JSON for each request
  --help          say this`;

/** The options of `npm start` and `npm run dev`. Invalid options, and --help, end the process. */
export const readStartOptions = (): StartOptions => {
  const { misused, readOptions } = commandOf(usage);
  const { values } = readOptions({
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '3000' },
    data: { type: 'string', default: join(import.meta.dirname, '../../.petstore') },
    memory: { type: 'boolean', default: false },
    import: { type: 'string' },
    json: { type: 'boolean', default: false },
    webhook: { type: 'string' },
  });
  const { host, data, memory, json, webhook } = values;
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) misused(`--port ${values.port} is not a port number.`);
  const importFrom = values.import === undefined ? undefined : resolve(values.import);
  return { host, port, folder: memory ? undefined : resolve(data), importFrom, json, webhook };
};
