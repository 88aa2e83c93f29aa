import { performance } from 'node:perf_hooks';

/** What one process measured, in milliseconds; `cpu` is of all its threads. */
export interface Sample {
  readonly load: { readonly wall: number; readonly cpu: number };
  /** The first answer, once the module is loaded. */
  readonly first: { readonly wall: number; readonly cpu: number };
  readonly warm: readonly number[];
  /** Of one warm call, on average. */
  readonly warmCpu: number;
}

/** A fresh process, as a fresh Lambda environment: imports a bundle, answers a first request, then some more. */
const run = async (bundle: string, event: string, warmCalls: number): Promise<Sample> => {
  const request = JSON.parse(event);
  const context = { getRemainingTimeInMillis: () => 5_000 };
  console.info = () => undefined;

  let cpu = process.cpuUsage();
  let wall = performance.now();
  const lap = () => {
    // Asking for CPU time takes a millisecond or two, which is nobody's.
    const lapped = performance.now() - wall;
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    wall = performance.now();
    return { wall: lapped, cpu: (user + system) / 1000 };
  };
  const { handler } = await import(bundle);
  const load = lap();
  const answer = await handler(request, context);
  const first = lap();
  const isFailure = answer.statusCode >= 400 || answer.batchItemFailures?.length > 0;
  if (isFailure) throw new Error(`answered ${JSON.stringify(answer)}`);

  const warm: number[] = [];
  for (let call = 0; call < warmCalls; call++) {
    const before = performance.now();
    await handler(request, context);
    warm.push(performance.now() - before);
  }
  return { load, first, warm, warmCpu: lap().cpu / warmCalls };
};

if (import.meta.main) {
  const [bundle = '', event = '', warmCalls] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await run(bundle, event, Number(warmCalls))), () => process.exit(0));
}
