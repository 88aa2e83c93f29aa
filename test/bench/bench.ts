import { commandOf } from '../../cdk/command.ts';
import { settingsOf } from '../../cdk/config/settings.ts';
import { benchColdStart } from './cold-start.ts';
import { benchOrderRate } from './order-rate.ts';
import { benchPageCost } from './page-cost.ts';
import { type Bench, type BenchOptions, serve } from './serve.ts';

const benchmarks: Record<string, (bench: Bench, options: BenchOptions) => Promise<void>> = {
  'cold-start': benchColdStart,
  'page-cost': benchPageCost,
  'order-rate': benchOrderRate,
};

const usage = `npm run bench [-- BENCHMARK …] [--all] [--rounds N]
  BENCHMARK     ${Object.keys(benchmarks).join(', ')} (default: all of them)
Of cold-start:
  --all         every function, not only the lightest and the heaviest
  --rounds N    starts of each function (default 21)
  --memory MB   of the function, which limits the CPU of INVOKE (default ${settingsOf('prod').functionMemory})
  --period MS   after which INVOKE gets its share of the CPU again (default 20)
  --delays H/R  milliseconds that a handshake and a response take longer, such as 2/5 (default 0/0)`;

const { count, misused, readOptions, run } = commandOf(usage);
const { values, positionals } = readOptions(
  {
    all: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '21' },
    memory: { type: 'string', default: String(settingsOf('prod').functionMemory) },
    period: { type: 'string', default: '20' },
    delays: { type: 'string', default: '0/0' },
  },
  { allowPositionals: true },
);
const names = positionals.length > 0 ? positionals : Object.keys(benchmarks);
const selected = names.map(name => benchmarks[name] ?? misused(`There is no benchmark ${name}.`));
const [, handshake, response] =
  /^(\d+)\/(\d+)$/.exec(values.delays) ??
  misused(`--delays ${values.delays} is not two numbers such as 2/5.`);
const options: BenchOptions = {
  all: values.all,
  rounds: count('rounds', values.rounds),
  memory: count('memory', values.memory),
  period: count('period', values.period),
  delays: [Number(handshake), Number(response)],
};
await run(async () => {
  for (const benchmark of selected) {
    const bench = await serve();
    await benchmark(bench, options);
    await bench.stop();
  }
});
process.exit();
