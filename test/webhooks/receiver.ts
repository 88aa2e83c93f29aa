import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterEach } from 'vitest';
import { localSecret } from '../../cdk/local/events/aws-json-api.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import type { makeCertificate } from '../support/tls-proxy.ts';

type ReceiverResponse =
  | number
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | 'never'
  | ((response: ServerResponse) => void);

export interface ReceivedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: CloudEvent;
}

/** By the library of a partner. */
export const isVerified = ({ headers, body }: ReceivedRequest, secret = localSecret): boolean => {
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>) !== undefined;
  } catch {
    return false;
  }
};

/** @param tls without it, the receiver uses http, as on the stage `local` */
export const startReceiver = async (
  respond: (event: CloudEvent) => ReceiverResponse = () => 204,
  tls?: ReturnType<typeof makeCertificate>,
) => {
  /** `events`: the accepted ones, each once, although it can arrive twice. */
  const receiver = { respond, requests: [] as ReceivedRequest[], events: [] as CloudEvent[] };
  const listener: RequestListener = async (request, response) => {
    const body = await text(request);
    const event: CloudEvent = JSON.parse(body);
    receiver.requests.push({ method: request.method!, headers: request.headers, body, event });
    const given = receiver.respond(event);
    if (given === 'never') return;
    if (typeof given === 'function') return given(response);
    const { status, headers } = typeof given === 'number' ? { status: given, headers: {} } : given;
    const isNew = !receiver.events.some(({ id }) => id === event.id);
    if (status < 300 && isNew) receiver.events.push(event);
    response.writeHead(status, headers).end();
  };
  const server = tls
    ? createTlsServer({ key: readFileSync(tls.key), cert: readFileSync(tls.certificate) }, listener)
    : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  const { port } = server.address() as AddressInfo;
  const url = tls ? `https://localhost:${port}/hook` : `http://127.0.0.1:${port}/hook`;
  return Object.assign(receiver, { url, stop });
};

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Receivers that stop after each test. */
export const useReceivers = (): typeof startReceiver => {
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });
  return async (...how) => {
    const receiver = await startReceiver(...how);
    stops.push(receiver.stop);
    return receiver;
  };
};
