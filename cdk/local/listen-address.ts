import { once } from 'node:events';
import { createServer } from 'node:net';
import type { StartOptions } from './options.ts';

type Place = Pick<StartOptions, 'host' | 'port'>;

/** @throws the error of listening there: an address that is taken is worth knowing before the slow work */
export const assertFree = async ({ host, port }: Place): Promise<void> => {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
};

/** What an error of listening means, and what to do; undefined for any other. */
export const explainListening = (error: NodeJS.ErrnoException, { host, port }: Place): string | undefined => {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is taken. Stop what listens there, or choose another: npm start -- --port ${port + 1}`;
    case 'EACCES':
      return `Port ${port} needs rights that this user has not. Choose one above 1023: npm start -- --port 3000`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}. Leave --host out, or listen on all of them: npm start -- --host 0.0.0.0`;
    default:
      return undefined;
  }
};

/** For an address that others reach: here everybody knows the secrets. */
export const warningOf = ({ host }: Place): string | undefined =>
  /^(127\.|::1$|localhost$)/.test(host)
    ? undefined
    : `Warning: who reaches this machine at ${host} can use the store, as staff too: every local client's secret is "local".`;
