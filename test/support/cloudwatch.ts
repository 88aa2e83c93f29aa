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
    throw new Error(`test/support/cloudwatch.ts cannot read "${text.slice(end)}": CloudWatch may`);
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
  Sum: of => Number(sumOf(of).toFixed(9)),
  Maximum: of => Math.max(...of),
  p90: of => of.toSorted((a, b) => a - b)[Math.ceil(0.9 * of.length) - 1]!,
};

/** What an alarm reads: a metric, or a metric whose missing data an expression replaces by 0. */
export const measuredBy = (alarm: Resource['Properties']) => {
  const { Metrics, MetricName, Period, Statistic, ExtendedStatistic } = alarm;
  if (!Metrics)
    return { MetricName, Period, Stat: Statistic ?? ExtendedStatistic, isFilled: false };
  const [{ Expression }, { Id, MetricStat }, ...others] = Metrics;
  if (Expression !== `FILL(${Id}, 0)` || others.length > 0)
    throw new Error(`CloudWatch: unknown expression: ${JSON.stringify(Metrics)}`);
  const { Metric, ...stat } = MetricStat;
  return { ...stat, MetricName: Metric.MetricName as string, isFilled: true };
};

type Periods = readonly (readonly number[])[];
/**
 * The periods of five minutes after which an alarm is on, given its metric's samples in each. Longer periods slide (CloudWatch user
 * guide, "Alarm evaluation window").
 */
export const ringsAfter = (alarm: Resource['Properties'], samples: Periods): number[] => {
  const { EvaluationPeriods, DatapointsToAlarm, Threshold, ComparisonOperator } = alarm;
  const { Period, Stat, isFilled } = measuredBy(alarm);
  const width = Period / 300;
  const isKnown = width === 1 || (Number.isInteger(width) && EvaluationPeriods === 1);
  if (!isKnown || ComparisonOperator !== 'GreaterThanOrEqualToThreshold')
    throw new Error(`CloudWatch: unknown kind of alarm: ${JSON.stringify(alarm)}`);
  let count = 0;
  const bad = samples.map((added, last) => {
    count += added.length - (samples[last - width]?.length ?? 0);
    if (count === 0) return isFilled ? false : undefined;
    const of = samples.slice(Math.max(0, last + 1 - width), last + 1).flat();
    return statistics[Stat]!(of) >= Threshold;
  });
  let isOn = false;
  return bad.flatMap((_, last) => {
    const evaluated = bad.slice(Math.max(0, last + 1 - EvaluationPeriods), last + 1);
    if (alarm.TreatMissingData !== 'ignore' || !evaluated.includes(undefined))
      isOn = evaluated.filter(is => is).length >= DatapointsToAlarm;
    return isOn ? [last + 1] : [];
  });
};
