import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, it } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { engineKinds } from '../../cdk/local/engine/engine-kinds.ts';
import { launchEngine } from '../../cdk/local/engine/start-engine.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { send, serve } from '../support/http.ts';
import { ready, start } from '../support/processes.ts';

/** It does not speak HTTP. */
const other = await serve((_request, _body, response) => response.socket!.end('something else'));
afterAll(other.stop);
const taken = Number(new URL(other.url).port);

describe('npm start', () => {
  // test/local/launch.test.ts has the text of each cause.
  it.each([
    ['--port http', '--port http is not a port number.'],
    ['--memory --port PORT', 'Port PORT is in use. Stop the process that uses it, or choose'],
    ['--data FOLDER', 'delete the folder FOLDER. All local data in it is lost.'],
  ])('%s explains itself, and exits with 1: %s', async (args, output) => {
    const folder = tempFolder('data');
    for (const { database } of Object.values(engineKinds))
      writeFileSync(
        join(folder, database),
        'not a database, but longer than its header'.repeat(99),
      );
    const filled = (text: string) =>
      text.replaceAll('FOLDER', folder).replaceAll('PORT', String(taken));
    const server = start(...filled(args).split(' '));
    expect([await server.exit, server.output()]).toEqual([
      1,
      expect.stringContaining(filled(output)),
    ]);
    expect(server.output()).not.toMatch(/^ {4}at /m);
  });

  it('rejects a second server with its data folder before the slow bundling', async () => {
    const folder = tempFolder('data');
    const first = start('--data', folder);
    await ready(first);
    expect(first.output()).toMatch(
      new RegExp(`^(Dynoxide|DynamoDB Local) stores its data in ${folder}\\.$`, 'm'),
    );
    expect(first.output()).not.toContain('Warning');
    const second = start('--data', folder);
    expect(await second.exit).toBe(1);
    const message = `Another server (process ${first.child.pid}) uses the data folder ${folder}. Stop it, or`;
    expect(second.output()).toContain(message);
    expect(second.output()).not.toContain('Bundling');
  });

  it('listens on all addresses with --host 0.0.0.0, and prints a warning', async () => {
    const server = start('--memory', '--host', '0.0.0.0');
    const { port } = new URL(await ready(server));
    await expect
      .poll(server.output)
      .toContain('Warning: every machine that can connect to 0.0.0.0 has full access');
    const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? []);
    for (const { address } of addresses.filter(({ family }) => family === 'IPv4'))
      expect((await send(`http://${address}:${port}/pets`)).status, address).toBe(200);
  });
});

describe('an engine', () => {
  it('gets no less time to start while the process that starts it is blocked', async ({ skip }) => {
    const command = await engineKinds.dynoxide.findCommand();
    if (!command) return skip('Dynoxide cannot run here');
    // The first load of the CDK after `npm ci` blocks the process for seconds.
    let blocks = 4;
    const block = () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
      if (--blocks > 0) setImmediate(block);
    };
    const args = (...options: Parameters<typeof command.args>) => {
      setImmediate(block);
      return command.args(...options);
    };
    const engine = await launchEngine(engineKinds.dynoxide, {
      ...command,
      args,
      startTimeout: 1_000,
    });
    expect(blocks).toBe(0);
    await engine.stop();
  });

  it.each(Object.values(engineKinds))(
    '$name uses another port when another process took the first',
    async kind => {
      const command = await kind.findCommand();
      if (!command) return;
      const folder = tempFolder('data');
      // An empty file is a valid database.
      writeFileSync(join(folder, kind.database), '');
      let attempts = 0;
      const args = (port: number, ...more: [string?]) =>
        command.args(attempts++ === 0 ? taken : port, ...more);
      const engine = await launchEngine(kind, { ...command, args }, folder);
      expect(attempts).toBe(2);
      await connect(engine.endpoint).send(new ListTablesCommand());
      await engine.stop();
    },
  );
});
