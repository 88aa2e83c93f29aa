import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { startForwarder } from './forwarder.ts';
import { makeCertificate, startTlsProxy } from './tls-proxy.ts';

/**
 * A proxy as in a company: it is the only way to hosts of AWS, and reads what it forwards, so its certificate is not one of
 * Node's. @param targetOf the emulation of a host, by the first part of its name
 */
export const startRecordingProxy = async (targetOf: (service: string) => string) => {
  const front = await startForwarder('', {
    request: ({ headers }, forward) => forward({ target: targetOf(headers.host!.split('.')[0]!) }),
  });
  const secure = await startTlsProxy(front.url, makeCertificate('*.eu-west-1.amazonaws.com'));
  const hosts = new Set<string>();
  const sockets = new Set<Socket>();
  // Without CONNECT, a request would be one that the client should send itself.
  const server = http.createServer(({ url }, response) => {
    hosts.add(url!);
    response.writeHead(500).end();
  });
  server.on('connect', ({ url }, socket: Socket) => {
    hosts.add(url!.replace(':443', ''));
    const tunnel = connect(Number(new URL(secure.url).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      tunnel.pipe(socket).pipe(tunnel);
    });
    for (const end of [socket, tunnel]) sockets.add(end.on('error', () => undefined));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    /** Without a scheme, as many write it. */
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    hosts,
    certificate: secure.certificate,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      for (const { stop } of [front, secure]) stop();
      server.close();
    },
  };
};
