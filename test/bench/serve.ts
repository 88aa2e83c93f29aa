import { loadSigningKey } from '../../cdk/local/auth/signing-key.ts';
import { startEngine } from '../../cdk/local/engine/start-engine.ts';
import { startServer } from '../../cdk/local/server.ts';
import { synthesize } from '../../cdk/synthesis/synthesize.ts';
import { tokenOf } from '../support/http.ts';
import { clientOf } from '../support/petstore.ts';

/** The usage of `npm run bench` describes these. */
export interface BenchOptions {
  readonly all: boolean;
  readonly rounds: number;
  readonly memory: number;
  readonly period: number;
  readonly delays: readonly [handshake: number, response: number];
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.slice(
    Math.floor((sorted.length - 1) / 2),
    Math.floor(sorted.length / 2) + 1,
  );
  return Number((middle.reduce((sum, value) => sum + value) / middle.length).toPrecision(3));
};

export const serve = async () => {
  /** Of the functions. An element can have several lines. */
  const log: string[] = [];
  // Without a stream, because the embedded engine writes more slowly with one. DynamoDB does not.
  const settings = { events: false };
  const [engine, assembly] = await Promise.all([
    startEngine(),
    synthesize({ stage: 'local', settings }),
  ]);
  const tableName = 'petstore-bench';
  const { endpoint } = engine;
  const signingKey = await loadSigningKey();
  const server = await startServer({
    assembly,
    endpoint,
    tableName,
    signingKey,
    log: text => log.push(text),
  });
  const staff = clientOf(server.url, await tokenOf(server.url));
  const stop = async () => {
    await server.stop();
    await engine.stop();
  };
  return { url: server.url, endpoint, tableName, log, staff, stop };
};
export type Bench = Awaited<ReturnType<typeof serve>>;
