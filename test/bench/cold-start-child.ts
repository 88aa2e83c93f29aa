import { performance } from 'node:perf_hooks';

/** The measurements of one process, in milliseconds; `cpu` includes all threads. */
export interface Sample {
  readonly load: { readonly wall: number; readonly cpu: number };
  /** The first invocation, after the module is loaded. */
  readonly first: { readonly wall: number; readonly cpu: number };
  readonly warm: readonly number[];
}

/** Runs in a new process, like a new Lambda environment: imports a bundle, invokes it once, then warm. */
const run = async (bundle: string, event: string, warmCalls: number): Promise<Sample> => {
  const request = JSON.parse(event);
  const context = { getRemainingTimeInMillis: () => 5_000 };
  console.info = () => undefined;

  let cpu = process.cpuUsage();
  let wall = performance.now();
  const lap = () => {
    // Reading the CPU time takes a millisecond or two, which is not counted.
    const lapped = performance.now() - wall;
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    wall = performance.now();
    return { wall: lapped, cpu: (user + system) / 1000 };
  };
  const { handler } = await import(bundle);
  const load = lap();
  const result = await handler(request, context);
  const first = lap();
  const isFailure = result.statusCode >= 400 || result.batchItemFailures?.length > 0;
  if (isFailure) throw new Error(`returned ${JSON.stringify(result)}`);

  const warm: number[] = [];
  for (let call = 0; call < warmCalls; call++) {
    const before = performance.now();
    await handler(request, context);
    warm.push(performance.now() - before);
  }
  return { load, first, warm };
};

if (import.meta.main) {
  const [bundle = '', event = '', warmCalls] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await run(bundle, event, Number(warmCalls))), () => process.exit(0));
}
