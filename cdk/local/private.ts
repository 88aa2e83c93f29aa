import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Whether a page of another site might have sent the request: from another origin, or under a name of its own that resolves to
 * this machine (DNS rebinding), which an address and `localhost` cannot be.
 */
export const isForeign = (
  { headers: { origin, host = '' } }: IncomingMessage,
  ownHost: string,
): boolean => {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  const isOwn = ['localhost', ownHost].includes(name) || isIP(name.replace(/^\[|\]$/g, '')) > 0;
  return !isOwn || (origin !== undefined && origin !== `http://${host}`);
};

/** For Access-Control-Allow-Origin: every origin, or that of the private server itself. */
export const readersOf = ({ headers }: IncomingMessage, privateSecret?: string): string =>
  privateSecret ? `http://${headers.host}` : '*';
