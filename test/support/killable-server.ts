import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { tokenOf } from './http.ts';
import { type Client, clientOf } from './petstore.ts';
import { ready, start } from './processes.ts';

/** On a new data folder. Tests kill the process and start the next one. */
export const startKillable = async (...args: string[]) => {
  const folder = tempFolder('data');
  const launch = () => start('--data', folder, ...args);
  let server = launch();
  let url = ready(server);

  const kill = () => {
    server.child.kill('SIGKILL');
    return server.exit;
  };
  /** Its token stays valid after a restart. A request waits for a ready process, and fails if that is killed. */
  const clientNamed = async (name: string): Promise<Client> => {
    const token = await tokenOf(await url, name);
    return async (...request) => clientOf(await url, token)(...request);
  };
  return {
    folder,
    /** Only of the current process. */
    output: () => server.output(),
    kill,
    killAndStart: () => {
      url = kill().then(() => {
        server = launch();
        return ready(server);
      });
      return url;
    },
    staff: await clientNamed('staff'),
    shop: await clientNamed('shop'),
    rival: await clientNamed('rival'),
  };
};
