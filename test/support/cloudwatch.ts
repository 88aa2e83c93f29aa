import { onlyResourceOf, type Resource, type Template } from '../../cdk/synthesis/template.ts';

// As CloudWatch evaluates them. Unknown syntax throws.

/** @param path such as `message.error.0.name` */
const valueAt = (line: string, path: string): unknown => {
  if (path === '@message') return line;
  return path.split('.').reduce((value, name) => value?.[name], JSON.parse(line));
};

/** @param toJs may call `at` */
const compile = (
  text: string,
  tokens: RegExp,
  toJs: (groups: Record<string, string>) => string,
) => {
  let [js, end] = ['', 0];
  for (const { 0: token, index, groups } of text.matchAll(tokens)) {
    if (text.slice(end, index).trim()) break;
    js += toJs(groups!);
    end = index + token.length;
  }
  if (text.slice(end).trim())
    throw new Error(`CloudWatch: unknown syntax from "${text.slice(end)}" on`);
  const evaluate = new Function('at', `return Boolean(${js})`);
  return (line: string): boolean => evaluate((path: string) => valueAt(line, path));
};

/**
 * The JSON pattern of a metric filter: numbers match only numbers, quoted texts only texts, `*` any characters (CloudWatch Logs
 * user guide, "Filter pattern syntax for metric filters").
 */
export const matchesPattern = (pattern: string) =>
  compile(
    /^\{(.*)\}$/.exec(pattern)?.[1] ?? pattern,
    /\$\.(?<path>[\w.]+) (?:(?<is>IS TRUE)|(?<not>!?)= "(?<text>[^"]*)"|(?<operator>>=|[<>]) (?<number>\d+))|(?<logic>\|\||&&|[()])/g,
    ({ path, is, not, text, operator, number, logic }) => {
      const value = `at('${path}')`;
      if (logic) return logic;
      if (is) return `(${value} === true)`;
      if (operator) return `(typeof ${value} === 'number' && ${value} ${operator} ${number})`;
      return `(typeof ${value} === 'string' && ${not}/^${text!.replace(/[^\w*-]/g, '\\$&').replaceAll('*', '.*')}$/.test(${value}))`;
    },
  );

/** API Gateway writes `-` for a variable without a value. */
export const accessLine = (
  template: Template,
  values: Readonly<Record<string, string | undefined>>,
): string => {
  const [, { AccessLogSetting }] = onlyResourceOf(template, 'AWS::ApiGateway::Stage');
  return AccessLogSetting.Format.replace(
    /\$context\.([\w.]+)/g,
    (_: string, name: string) => values[name] ?? '-',
  );
};

/** Of an invocation (Lambda developer guide, "Lambda Telemetry API Event schema reference"). */
const platformReport = { type: 'platform.report', record: { requestId: 'one', status: 'timeout' } };
export const platformLine = JSON.stringify(platformReport);

/** The `filter` of a Logs Insights query, whose fields have no types (CloudWatch Logs user guide, "filter"). */
export const matchesFilter = (query: string) =>
  compile(
    /^filter (.*)$/m.exec(query)![1]!,
    /ispresent\((?<present>[\w.]+)\)|(?<path>[@\w.]+) (?:like (?<like>\/[^/]+\/)|(?<operator>>=|!=|=|<) (?<value>"[^"]*"|\d+))|(?<logic>and|or|not|[()])/g,
    ({ present, path, like, operator, value, logic }) => {
      if (present) return `(at('${present}') !== undefined)`;
      if (like) return `${like}.test(at('${path}'))`;
      if (operator) return `(at('${path}') ${operator.replace(/^=$/, '==')} ${value})`;
      return { and: '&&', or: '||', not: '!' }[logic!] ?? logic!;
    },
  );

const sumOf = (of: readonly number[]) => of.reduce((sum, sample) => sum + sample, 0);
const statistics: Readonly<Record<string, (of: readonly number[]) => number>> = {
  Average: of => sumOf(of) / of.length,
  Sum: sumOf,
  Maximum: of => Math.max(...of),
  p90: of => of.toSorted((a, b) => a - b)[Math.ceil(0.9 * of.length) - 1]!,
};
/** Of each period, over a sliding window (CloudWatch user guide, "Alarm evaluation window"). */
const datapointsOf = (
  { Period, Statistic, ExtendedStatistic }: Resource['Properties'],
  periods: Periods,
) => {
  const width = Period / 300;
  const statistic = statistics[Statistic ?? ExtendedStatistic]!;
  if (width === 1) return periods.map(of => (of.length > 0 ? statistic(of) : undefined));
  if (Statistic !== 'Sum')
    throw new Error(`CloudWatch: no sliding window for ${Statistic ?? ExtendedStatistic}`);
  let [sum, count] = [0, 0];
  return periods.map((of, last) => {
    const left = periods[last - width] ?? [];
    sum += sumOf(of) - sumOf(left);
    count += of.length - left.length;
    return count > 0 ? Number(sum.toFixed(9)) : undefined;
  });
};

type Periods = readonly (readonly number[])[];
/**
 * The periods of five minutes after which an alarm is on, given its metric's samples in each. An alarm retrieves two more
 * datapoints than its evaluation periods, and evaluates the newest that exist (CloudWatch user guide, "Configuring how CloudWatch
 * alarms treat missing data").
 */
export const ringsAfter = (alarm: Resource['Properties'], periods: Periods): number[] => {
  const {
    EvaluationPeriods: evaluated,
    DatapointsToAlarm: needed,
    Threshold,
    Period,
    ComparisonOperator,
  } = alarm;
  const isKnown = Period === 300 || (Period === 86_400 && evaluated === 1);
  if (!isKnown || ComparisonOperator !== 'GreaterThanOrEqualToThreshold' || alarm.Metrics)
    throw new Error(`CloudWatch: unknown kind of alarm: ${JSON.stringify(alarm)}`);
  const datapoints = datapointsOf(alarm, periods);
  let isOn = false;
  return datapoints.flatMap((_, last) => {
    const retrieved = datapoints.slice(Math.max(0, last - 1 - evaluated), last + 1);
    const existing = retrieved.filter(datapoint => datapoint !== undefined).slice(-evaluated);
    if (alarm.TreatMissingData !== 'ignore' || existing.length === evaluated)
      isOn = existing.filter(datapoint => datapoint >= Threshold).length >= needed;
    return isOn ? [last + 1] : [];
  });
};
