import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

export interface Start {
  readonly bundle: string;
  readonly event: object;
  readonly warmCalls: number;
  /** Two files of cgroups. A process that writes its id to `limited` has only its CPU share until it writes it to `all`. */
  readonly groups: readonly [limited: string, all: string] | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: a benchmark trusts the bundle
type Bundle = { handler: (event: object, context: object) => Promise<any> };

/** As on Lambda, in a new process. Imports a bundle, calls it once (limited if `groups` exist), then `warmCalls` times. */
const run = async ({ bundle, event, warmCalls, groups }: Start) => {
  const context = { getRemainingTimeInMillis: () => 5_000 };
  console.info = () => undefined;

  const moveTo = (file: string | undefined) => file && writeFileSync(file, String(process.pid));
  /** The duration and the CPU time of all threads, in milliseconds. */
  const measure = async <T>(phase: () => Promise<T>) => {
    const before = process.cpuUsage();
    const start = performance.now();
    const result = await phase();
    // Here, because reading the CPU time takes a millisecond or two.
    const wall = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    return [{ wall, cpu: (user + system) / 1000 }, result] as const;
  };
  const [init, { handler }] = await measure<Bundle>(() => import(bundle));
  moveTo(groups?.[0]);
  const [invoke, result] = await measure(() => handler(event, context));
  moveTo(groups?.[1]);
  if (result.statusCode >= 400) throw new Error(`returned ${JSON.stringify(result)}`);

  const warm: number[] = [];
  for (let call = 0; call < warmCalls; call++) {
    const before = performance.now();
    await handler(event, context);
    warm.push(performance.now() - before);
  }
  return { init, invoke, warm };
};

export type Sample = Awaited<ReturnType<typeof run>>;

if (import.meta.main) {
  const sample = await run(JSON.parse(process.argv[2]!));
  process.stdout.write(JSON.stringify(sample), () => process.exit(0));
}
