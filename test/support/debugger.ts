import { once } from 'node:events';

// biome-ignore lint/suspicious/noExplicitAny: each method and event has its own
type Fields = any;

/** The inspector of one thread (nodejs.org/api/inspector.html, chromedevtools.github.io/devtools-protocol). */
export interface Inspector {
  readonly send: (method: string, params?: object) => Promise<Fields>;
  readonly on: (event: string, listener: (params: Fields) => void) => void;
}

const createInspector = (post: (text: string) => void) => {
  const pending = new Map<number, (result: Fields) => void>();
  const listeners = new Map<string, (params: Fields) => void>();
  const inspector: Inspector = {
    send: (method, params = {}) => {
      const id = pending.size + 1;
      const { promise, resolve } = Promise.withResolvers<Fields>();
      pending.set(id, resolve);
      post(JSON.stringify({ id, method, params }));
      return promise;
    },
    on: (event, listener) => void listeners.set(event, listener),
  };
  const receive = (text: string) => {
    const { id, method, params, result } = JSON.parse(text);
    if (id === undefined) listeners.get(method)?.(params);
    else pending.get(id)?.(result);
  };
  return { inspector, receive };
};

/**
 * Attaches to a process started with `--inspect` and to each of its threads, as the debugger of an editor does: a thread
 * waits until it is prepared.
 */
export const attach = async (url: string, prepare: (thread: Inspector) => Promise<unknown>): Promise<void> => {
  const socket = new WebSocket(url);
  const { inspector: main, receive } = createInspector(text => socket.send(text));
  socket.addEventListener('message', ({ data }) => receive(data));
  await once(socket, 'open');
  const threads = new Map<string, (text: string) => void>();
  main.on('NodeWorker.receivedMessageFromWorker', ({ sessionId, message }) => threads.get(sessionId)?.(message));
  main.on('NodeWorker.attachedToWorker', async ({ sessionId }) => {
    const thread = createInspector(message => {
      main.send('NodeWorker.sendMessageToWorker', { sessionId, message });
    });
    threads.set(sessionId, thread.receive);
    await prepare(thread.inspector);
    await thread.inspector.send('Runtime.runIfWaitingForDebugger');
  });
  await main.send('NodeWorker.enable', { waitForDebuggerOnStart: true });
};
