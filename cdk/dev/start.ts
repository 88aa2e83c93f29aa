import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { synthesise } from '../assembly/synthesise.ts';
import { startEngine } from './engine.ts';
import { lockFolder } from './lock.ts';
import { startServer } from './server.ts';
import { loadTokenKey } from './tokens/key.ts';

const usage = `npm start [-- --port N] [--data FOLDER] [--memory]
  --port N        where to listen (default 3000)
  --data FOLDER   where data is kept between runs (default .petstore)
  --memory        keep nothing`;

const fail = (message: string): never => {
  console.error(message);
  process.exit(1);
};

const readOptions = () => {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '3000' },
        data: { type: 'string', default: join(import.meta.dirname, '../../.petstore') },
        memory: { type: 'boolean', default: false },
      },
    });
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new Error(`--port ${values.port} is not a port number.`);
    return { port, folder: values.memory ? undefined : resolve(values.data) };
  } catch (error) {
    return fail(`${(error as Error).message}\n${usage}`);
  }
};

const greeting = (url: string) => `Petstore is ready at ${url}

Try it (each line uses what the lines before it found):
  TOKEN=$(curl -s -u staff:local -d grant_type=client_credentials ${url}/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  pet() { curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }
  CATEGORY=$(pet ${url}/pets/categories -d '{"name":"Cats"}' | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
  PET=$(pet ${url}/pets -d '{"name":"Tom","categoryId":'$CATEGORY'}' | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
  pet -X PUT ${url}/store/inventory/$PET -d '{"quantity":3}'
  pet ${url}/store/orders -H 'Idempotency-Key: my-first-order' -d '{"petId":'$PET',"quantity":2}'
  curl -s '${url}/pets?status=available'

Ctrl-C stops it.`;

const explain = (error: NodeJS.ErrnoException, port: number): string =>
  error.code === 'EADDRINUSE'
    ? `Port ${port} is taken. Stop what listens there, or choose another: npm start -- --port ${port + 1}`
    : `Petstore could not start: ${error.message}`;

const { port, folder } = readOptions();
try {
  console.error('Bundling the functions, synthesising the stack, starting DynamoDB …');
  if (folder) lockFolder(folder);
  const [assembly, engine] = await Promise.all([synthesise({ stage: 'local' }), startEngine({ folder })]);
  const stop = async () => {
    await server?.stop();
    await engine.stop();
    process.exit(0);
  };
  const server = await startServer({
    assembly,
    endpoint: engine.endpoint,
    port,
    tokenKey: await loadTokenKey(folder),
  }).catch(async error => {
    await engine.stop();
    throw error;
  });
  process.once('SIGINT', stop).once('SIGTERM', stop);
  console.log(greeting(server.url));
} catch (error) {
  fail(explain(error as NodeJS.ErrnoException, port));
}
