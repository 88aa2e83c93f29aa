import { type Settings, settingsOf } from '../../cdk/config/settings.ts';
import { settingRows } from '../../cdk/cost/tables.ts';
import type { AppOptions } from '../../cdk/synthesis/build-app.ts';

/** When to change each setting. What it is: its docstring in settings.ts. */
const settingReasons: Readonly<Record<keyof Settings, string>> = {
  region: 'for prod, before the first deployment; never after it',
  account: 'if your credentials can reach several accounts',
  terminationProtection: 'true for prod',
  keepsData: 'false for a stage whose data you can lose',
  alarms: 'before callers depend on the stage: the email of who is on call',
  runbookUrl: 'with alarms: a page that who is on call can open',
  dashboard: 'with alarms',
  accessLog: 'before callers depend on the stage: without it, 401 and 429 have no trace; needs the account stack',
  logRetention: 'days, for your rules of data protection',
  reportLines: 'to measure cold starts and memory',
  tracing: 'to follow single requests through AWS',
  domain: 'before callers know the URL of the gateway: it changes with the API',
  publicUrl: 'if a CDN or proxy is in front',
  requestsPerAddress: 'in five minutes, if anonymous callers reach the stage: all share the rate of an operation',
  limits: 'when callers get 429: `{ placeOrder: { rate, burst, timeout } }`',
  defaultThrottle: 'when 404, 405 or preflights get 429',
  maxRequestUnits: 'when the alarm Throttled names the table or an index',
  worstMonthCap: 'above what `npm run cost` prints, when you raise a limit',
  functionMemory: 'after you measured REPORT lines',
  warmUp: 'the same',
  clients:
    'for each partner. It replaces the four defaults: repeat them. Never rename one: its orders would stay with the old id',
  userPoolArn: 'for an existing user pool, before the first deployment; never after it',
  tokenUrl: 'with `userPoolArn`',
  tokenLifetime: 'minutes; fewer if a leaked token must end sooner, but then tokens cost more',
  tokensValidFrom: 'to end all tokens, when one leaked',
  webhooks: 'for each partner that receives events',
  events: 'false if nobody receives events',
  lifeCycle: 'to move the sunset of a deprecated operation',
  enforceSunset: 'true to return 410 after it; otherwise the operation continues to work',
  indexShards: 'above 1,000 writes a second of a kind; never lower it',
  adoptedTable: 'after a restore: `npm run adopt` prints it',
  eventsGeneration: 'with `adoptedTable`',
};

const textOf = (value: unknown): string => {
  if (value === undefined || JSON.stringify(value) === '{}') return 'none';
  if (typeof value !== 'object') return String(value);
  const text = JSON.stringify(value).replaceAll('"', '').replaceAll(/[:,]/g, '$& ');
  return text.length > 30 ? 'several' : text;
};

/** Every setting with its default, when to change it, and what an example of it adds to the worst and to the idle month. */
export const settingsTable = async (options: AppOptions): Promise<string> => {
  const defaults = settingsOf('any');
  const added = new Map<string, string>();
  for await (const row of settingRows(options)) {
    const [, example, name, month, idle] = /^\| (`(\w+).*`) \| (\S+) \| (\S+) \|$/.exec(row) ?? [];
    if (name) added.set(name, `${example}: ${month}, idle ${idle}`);
  }
  const rows = (Object.entries(settingReasons) as [keyof Settings, string][]).map(
    ([name, reason]) => `| \`${name}\` | ${textOf(defaults[name])} | ${reason} | ${added.get(name) ?? ''} |`,
  );
  return [
    '| Setting | Default | When to change it | Dollars a month, worst and idle |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
};
