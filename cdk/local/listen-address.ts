import { once } from 'node:events';
import { createServer } from 'node:net';
import type { StartOptions } from './options.ts';

type ListenAddress = Pick<StartOptions, 'host' | 'port'>;

/** @throws the error of listening at this address */
export const assertPortFree = async ({ host, port }: ListenAddress): Promise<void> => {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
};

/** What happened and what to do; undefined for any other error. */
export const explainListenError = (error: NodeJS.ErrnoException, { host, port }: ListenAddress): string | undefined => {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Stop the process that uses it, or choose another port: npm start -- --port ${port + 1}`;
    case 'EACCES':
      return `Port ${port} needs permissions that this user does not have. Choose a port above 1023: npm start -- --port 3000`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}. Omit --host, or listen on all addresses: npm start -- --host 0.0.0.0`;
    default:
      return undefined;
  }
};

/** The local secrets are public, so other machines should not reach the server. */
export const exposureWarning = ({ host }: ListenAddress): string | undefined =>
  /^(127\.|::1$|localhost$)/.test(host)
    ? undefined
    : `Warning: every machine that can connect to ${host} has full access, also as staff: the secret of every local client is "local".`;
