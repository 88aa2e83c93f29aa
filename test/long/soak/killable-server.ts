import type { Actor } from '../../reference/reference-store.ts';
import { tokenOf } from '../../support/http.ts';
import { clientOf } from '../../support/petstore.ts';
import { ready, start } from '../../support/processes.ts';
import type { Send } from './workload.ts';

/** Runs `npm start` with a data folder. The process can be killed and restarted. */
export const killableServer = async (folder: string) => {
  const launch = () => start('--data', folder);
  let server = launch();
  let url = ready(server);

  const kill = () => {
    server.child.kill('SIGKILL');
    return server.exit;
  };
  const tokens = new Map<Actor, Promise<string>>();
  const send: Send = async ({ actor, method, path, body }, headers) => {
    const token = tokens.get(actor) ?? tokenOf(await url, actor);
    tokens.set(actor, token);
    token.catch(() => tokens.delete(actor));
    return clientOf(await url, await token)(method, path, { headers, ...(body && { body }) });
  };

  await url;
  return {
    send,
    kill,
    /** Resolves when the server is ready. */
    reachable: () => url,
    killAndStart: () => {
      url = kill().then(() => {
        server = launch();
        return ready(server);
      });
      return url;
    },
  };
};
