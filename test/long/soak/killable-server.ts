import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Actor } from '../../reference/reference-store.ts';
import { clientOf } from '../../support/petstore.ts';
import type { Send } from './workload.ts';

const script = join(import.meta.dirname, '../../../cdk/commands/start.ts');

/** `npm start` on a data folder; it can be killed and restarted. */
export const killableServer = async (folder: string) => {
  let child: ChildProcess;
  let up = Promise.withResolvers<string>();

  const start = async () => {
    child = spawn(process.execPath, [script, '--port', '0', '--data', folder, '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout!.setEncoding('utf8').on('data', chunk => {
      text = (text + chunk).slice(-10_000);
      const url = /ready at (\S+)/.exec(text)?.[1];
      if (url) up.resolve(url);
    });
    child.once('exit', () => up.reject(new Error(`the server exited: ${text}`)));
    await up.promise;
    child.removeAllListeners('exit');
  };
  const kill = async () => {
    up = Promise.withResolvers();
    child.kill('SIGKILL');
    await once(child, 'exit');
  };

  const tokens = new Map<Actor, Promise<string>>();
  const tokenOf = async (url: string, actor: Actor) => {
    const response = await fetch(`${url}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${actor}:local`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  };
  const send: Send = async ({ actor, method, path, body }, headers) => {
    const url = await up.promise;
    if (!tokens.has(actor)) tokens.set(actor, tokenOf(url, actor));
    const token = await tokens.get(actor)!.catch(error => {
      tokens.delete(actor);
      throw error;
    });
    return clientOf(url, token)(method, path, { headers, ...(body && { body }) });
  };

  await start();
  return {
    send,
    /** Resolves when the server runs. */
    reachable: () => up.promise,
    killAndStart: async () => {
      await kill();
      await start();
    },
    kill,
  };
};
