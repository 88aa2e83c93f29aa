import { connect } from 'node:tls';

/** Error codes of a rejected handshake. */
const rejections = /ALERT|ECONNRESET|HANDSHAKE_FAILURE/;

/** Milliseconds. */
const timeout = 10_000;

/**
 * Whether an https address still takes TLS 1.1, which no key or token is ever sent by. SECLEVEL=0, because OpenSSL would
 * not even request otherwise.
 * @throws when that cannot be found out
 */
export const acceptsOldTls = (url: string): Promise<boolean> => {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname,
      servername: hostname,
      port: Number(port || 443),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL:@SECLEVEL=0',
      rejectUnauthorized: false,
      timeout,
    });
    const end = (act: () => void) => {
      act();
      socket.destroy();
    };
    socket.once('secureConnect', () => end(() => resolve(true)));
    socket.once('timeout', () => end(() => reject(new Error('timeout'))));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end(() => (rejections.test(error.code ?? '') ? resolve(false) : reject(error))),
    );
  });
};
