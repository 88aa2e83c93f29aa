import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { scratchFolder } from '../../cdk/assembly/scratch-folder.ts';

/** Puts TLS before an engine: Lambda speaks https to DynamoDB, and the SDK loads other code for http. */
export const startTlsProxy = async (endpoint: string) => {
  const folder = scratchFolder('tls');
  const certificate = join(folder, 'certificate.pem');
  const key = join(folder, 'key.pem');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  try {
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', certificate, ...subject],
      { stdio: 'pipe' },
    );
  } catch (error) {
    throw new Error(`The benchmark makes a certificate with openssl, which failed: ${(error as Error).message}`);
  }

  const target = new URL(endpoint);
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (incoming, response) => {
    const options = {
      agent,
      host: target.hostname,
      port: target.port,
      method: incoming.method!,
      path: incoming.url!,
      headers: incoming.headers,
    };
    incoming.pipe(
      send(options, answer => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    certificate,
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    stop: () => {
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
};
