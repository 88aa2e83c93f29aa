import { performance } from 'node:perf_hooks';

/** A fresh process, as a fresh Lambda environment: imports a bundle, answers a first request, then some more. */

const [bundle, event, warmCalls] = process.argv.slice(2);
const request = JSON.parse(event!);
const context = { getRemainingTimeInMillis: () => 5_000 };
console.info = () => undefined;

const startedAt = performance.now();
const { handler } = await import(bundle!);
const loadedAt = performance.now();
const answer = await handler(request, context);
const answeredAt = performance.now();
if (answer.statusCode >= 300) throw new Error(`answered ${answer.statusCode}: ${answer.body}`);

const warm: number[] = [];
for (let call = 0; call < Number(warmCalls); call++) {
  const before = performance.now();
  await handler(request, context);
  warm.push(performance.now() - before);
}
process.stdout.write(JSON.stringify({ load: loadedAt - startedAt, cold: answeredAt - startedAt, warm }));
process.exit(0);
