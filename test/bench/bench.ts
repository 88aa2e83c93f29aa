import { commandOf, count, flag, runMain, text, UsageError } from '../../cdk/command.ts';
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

const own = {
  all: flag,
  rounds: { ...text, default: '21' },
  memory: { ...text, default: String(settingsOf('prod').functionMemory) },
  period: { ...text, default: '20' },
  delays: { ...text, default: '0/0' },
};

export const command = commandOf({ usage, options: own, most: 9 }, async (values, names) => {
  const unknown = names.find(name => !Object.hasOwn(benchmarks, name));
  if (unknown) throw new UsageError(`There is no benchmark ${unknown}.`);
  const [, handshake, response] = /^(\d+)\/(\d+)$/.exec(values.delays) ?? [];
  if (!handshake) throw new UsageError(`--delays ${values.delays} is not two numbers such as 2/5.`);
  const options: BenchOptions = {
    all: values.all,
    rounds: count('rounds', values.rounds),
    memory: count('memory', values.memory),
    period: count('period', values.period),
    delays: [Number(handshake), Number(response)],
  };
  for (const name of names.length > 0 ? names : Object.keys(benchmarks)) {
    const bench = await serve();
    await benchmarks[name]!(bench, options);
    await bench.stop();
  }
  process.exit();
});

if (import.meta.main) await runMain(command);
