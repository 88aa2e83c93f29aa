import { join, resolve } from 'node:path';
import { caller, flag, text, UsageError, type Values } from '../command.ts';
import { isReceiver } from '../config/webhooks.ts';

const usageOf = (
  command: string,
) => `${command} [-- --port N] [--host ADDRESS] [--data FOLDER] [--memory] [--private]
  [--webhook URL] [--public-url URL] [--throttle] [--unavailable SHARE]
Serves the whole API on this machine, with an embedded DynamoDB.
  --port N             the port to listen on (default 3000)
  --host ADDRESS       the address to listen on (default 127.0.0.1: this machine only; a container needs 0.0.0.0)
  --data FOLDER        where data is stored (default .petstore)
  --memory             store data in memory
  --private            for real data: a new secret at each start instead of "local", and no requests of other sites'
                       pages. Data that was not created by this server is always private
  --webhook URL        send every event to URL, signed (https, or http to this machine)
  --public-url URL     the https URL of a tunnel, which callers get in links (default in Codespaces: that of the
                       forwarded port)
  --throttle           apply the rate limits of prod: a request above them is a 429
  --unavailable SHARE  make that share of the requests fail with 503, such as 0.2: reads with try_again, writes also
                       with outcome_unknown (half of these were written)`;

const options = {
  host: { ...text, default: '127.0.0.1' },
  port: { ...text, default: '3000' },
  data: text,
  memory: flag,
  throttle: flag,
  private: flag,
  unavailable: { ...text, default: '0' },
  webhook: text,
  'public-url': text,
} as const;
export const serverDefinition = (command: 'npm start' | 'npm run dev') => ({
  usage: usageOf(command),
  options,
});

const misused = (message: string): never => {
  throw new UsageError(message);
};

/** @throws {UsageError} */
export const toStartOptions = (values: Values<typeof options>) => {
  const {
    host,
    data = join(import.meta.dirname, '../../.petstore'),
    memory,
    throttle,
    private: isPrivate,
  } = values;
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535)
    misused(`--port ${values.port} is not a port number.`);
  if (memory && values.data !== undefined)
    misused('--memory stores no data, and --data names a folder for it. Choose one of them.');
  const unavailable = Number(values.unavailable);
  if (!(unavailable >= 0 && unavailable <= 1))
    misused(`--unavailable ${values.unavailable} is not a share from 0 to 1.`);
  // URL.parse changes the scheme and the host to lower case.
  const webhook = values.webhook && (URL.parse(values.webhook)?.href ?? values.webhook);
  if (webhook !== undefined && !isReceiver(webhook)) {
    misused(
      `--webhook ${values.webhook} is not an https URL, or an http URL of this machine, without user, password and fragment.`,
    );
  }
  const { 'public-url': given, port: portText } = values;
  const { CODESPACE_NAME: name, GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN: domain } =
    caller().environment;
  const forwarded =
    name && domain && port > 0 ? `https://${name}-${portText}.${domain}` : undefined;
  const publicUrl = given === undefined ? forwarded : URL.parse(given)?.href.replace(/\/$/, '');
  if (given !== undefined && !/^https:[^?#]*$/.test(publicUrl ?? ''))
    misused(`--public-url ${given} is not an https URL without a query.`);
  const folder = memory ? undefined : resolve(data);
  return { host, port, folder, throttle, unavailable, webhook, isPrivate, publicUrl };
};

export type StartOptions = Readonly<ReturnType<typeof toStartOptions>>;
