import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';

/** A status, with what `Retry-After` says; or no answer at all. */
type Answer = number | { readonly status: number; readonly retryAfter: string } | 'never';

/** A partner's server. */
export interface Receiver {
  readonly url: string;
  readonly requests: { readonly method: string; readonly headers: IncomingHttpHeaders; readonly event: CloudEvent }[];
  /** What it has taken. */
  readonly events: CloudEvent[];
  answer: (event: CloudEvent) => Answer;
  readonly stop: () => void;
}

export const startReceiver = async (answer: Receiver['answer'] = () => 204): Promise<Receiver> => {
  const receiver = { answer, requests: [] as Receiver['requests'], events: [] as CloudEvent[] };
  const server = createServer(async (request, response) => {
    const event: CloudEvent = JSON.parse(await text(request));
    receiver.requests.push({ method: request.method!, headers: request.headers, event });
    const given = receiver.answer(event);
    if (given === 'never') return;
    const { status, retryAfter } = typeof given === 'number' ? { status: given, retryAfter: undefined } : given;
    if (status < 300) receiver.events.push(event);
    response.writeHead(status, retryAfter === undefined ? {} : { 'Retry-After': retryAfter }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return Object.assign(receiver, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, stop });
};

/** Receivers of one file's tests; after each test none is left. */
export const useReceivers = (): ((answer?: Receiver['answer']) => Promise<Receiver>) => {
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });
  return async answer => {
    const receiver = await startReceiver(answer);
    stops.push(receiver.stop);
    return receiver;
  };
};
