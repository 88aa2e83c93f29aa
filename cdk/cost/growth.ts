import type { Assembly } from '../build/synthesize.ts';
import { markdownTable } from '../commands/docs/marked.ts';
import { limits } from '../config/limits.ts';
import { settingsOf } from '../config/settings.ts';
import { flowsOf } from './flows.ts';
import { ordinaryMonth, ordinarySeconds } from './ordinary-month.ts';

/** Something that the load meets, in its own unit a second. */
interface Bound {
  readonly what: string;
  /** At the default load: every operation at its rate of cdk/config/limits.ts. */
  readonly load: number;
  readonly limit: number;
  readonly moves: string;
  readonly source: string;
}

const ids = Object.keys(limits) as (keyof typeof limits)[];
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const rateOf = (...wanted: (keyof typeof limits)[]) => sum(wanted.map(id => limits[id].rate));
const all = rateOf(...ids);
const { maxRequestUnits } = settingsOf('prod');

const boundsOf = (assembly: Assembly): readonly Bound[] => [
  {
    what: 'throttles: requests to functions',
    load: all,
    limit: all,
    moves: '`cdk/config/limits.ts`: the worst month grows alike, and its test asks you to say so',
    source: 'beyond it callers get 429, by design',
  },
  {
    what: 'one category: pets created, deleted and moved in it',
    load: rateOf('createPet', 'deletePet', 'updatePet'),
    limit: 50,
    moves: 'more categories, or imports one after another; a counter in parts is a change of the model',
    source: 'simulated below, 8 ms',
  },
  {
    what: 'one pet: orders for it, all of them',
    load: rateOf('placeOrder'),
    limit: 50,
    moves: 'one animal kind as several pets; no setting: one item changes once at a time',
    source: 'simulated below, 8 ms',
  },
  {
    what: 'environments, every request until its time-out',
    load: sum(ids.map(id => limits[id].rate * limits[id].timeout)),
    limit: 1_000,
    moves: 'the account’s quota (a new account may have 10: raise it first); `timeout` in `cdk/config/limits.ts`',
    source: 'Lambda developer guide, "Lambda quotas"',
  },
  {
    what: 'environments, ordinary requests',
    load: all * ordinarySeconds,
    limit: 1_000,
    moves: 'the same quota',
    source: '30 ms a request',
  },
  {
    what: 'the dearest writes of the table, units, on its first day',
    load: maxRequestUnits.table.write,
    limit: 4_000,
    moves: '`maxRequestUnits` in step with the rates; then warm throughput, or a slow rise: a table doubles its peak',
    source: 'DynamoDB developer guide, "warm throughput"',
  },
  {
    what: 'the dearest reads of the table, units, on its first day',
    load: maxRequestUnits.table.read,
    limit: 12_000,
    moves: 'the same',
    source: 'the same',
  },
  {
    what: 'the dearest writes of the table, units',
    load: maxRequestUnits.table.write,
    limit: 40_000,
    moves: 'the table’s quota',
    source: 'DynamoDB developer guide, "Quotas": 40 000 units a table',
  },
  {
    what: 'requests at the gateway, fixed answers included',
    load: sum(flowsOf(assembly).map(({ rate }) => rate)),
    limit: 10_000,
    moves: 'the account’s quota, which all its APIs share; a CDN before the catalogue',
    source: 'API Gateway developer guide, "quotas": 2 500 in some regions',
  },
  {
    what: 'one index partition, `ORDERS`: entries written',
    load: rateOf('placeOrder', 'updateOrder', 'cancelOrder'),
    limit: 1_000,
    moves: '`indexShards`, on the readers first',
    source: 'DynamoDB developer guide: 1 000 write units a partition',
  },
  {
    what: 'tokens, if nobody cached them',
    load: sum(ids.filter(id => !/^(list|get)(Pets?|Categor|OpenApi|Docs)/.test(id)).map(id => limits[id].rate)),
    limit: 150,
    moves: 'callers that cache them for `expires_in` seconds: at this rate tokens cost more than all else',
    source: 'Cognito developer guide, "Quotas", ClientAuthentication (the figure is to be confirmed in Service Quotas)',
  },
];

const factors = [1, 10, 100, 1_000] as const;

const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 });

/** What gives first when the load grows, as a table; beyond its limit a figure is bold. */
export const growthTable = (assembly: Assembly): string => {
  const rows = [...boundsOf(assembly)]
    .sort((a, b) => a.limit / a.load - b.limit / b.load)
    .map(({ what, load, limit, moves, source }) => [
      `${what} (${source})`,
      ...factors.map(factor => (load * factor > limit ? `**${number(load * factor)}**` : number(load * factor))),
      number(limit),
      `× ${number(limit / load)}`,
      moves,
    ]);
  rows.push([
    'an ordinary month, every operation at its rate around the clock',
    ...factors.map(factor => `$${number(ordinaryMonth(factor))}`),
    '',
    '',
    'callers that take 304 for an answer; fewer, larger pages',
  ]);
  return markdownTable(
    ['A second', ...factors.map(factor => `× ${number(factor)}`), 'Limit', 'Gives at', 'What moves it'],
    ['---', '---:', '---:', '---:', '---:', '---:', '---:', '---'],
    rows,
  );
};
