import type { Template } from '../../cdk/synthesis/template.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Type and logical id of a resource → its properties, one per line. */
export type Golden = ReadonlyMap<string, readonly string[]>;

/** Left out, because test/api reaches these types over HTTP, or they follow from such types. */
const served = /^AWS::(ApiGateway::(Method|Resource|Deployment)|Lambda::Permission)$/;

/** Parses JSON in a string, without the positions of dashboard widgets. */
const parsed = (text: string): Json => {
  if (!/^\{".*\}$/s.test(text)) return text;
  return JSON.parse(text, (name, value) =>
    /^(x|y|width|height|region)$/.test(name) ? undefined : value,
  );
};

/** Writes `Ref`, `Fn::GetAtt` and `Fn::Join` as `${…}`. */
const shortened = (value: Json): Json => {
  if (typeof value === 'string') return parsed(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(shortened);
  const [[name, argument] = [], ...others] = Object.entries(value);
  if (others.length === 0 && name === 'Ref') return `\${${argument}}`;
  if (others.length === 0 && name === 'Fn::GetAtt')
    return `\${${(argument as string[]).join('.')}}`;
  if (others.length === 0 && name === 'Fn::Join') {
    const [separator, parts] = argument as [string, Json[]];
    // Double quotes would end a JSON string that contains the text.
    const textOf = (part: Json) =>
      typeof part === 'string' ? part : JSON.stringify(part).replaceAll('"', "'");
    return parsed(parts.map(part => textOf(shortened(part))).join(separator));
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]));
};

/** One per property, also of large objects and environments. */
const linesOf = (value: Json, path = ''): string[] => {
  const line = JSON.stringify(value);
  const isShort = line.length <= 200 && path !== '' && !path.startsWith('Environment');
  const isList = Array.isArray(value) && value.every(item => typeof item === 'string');
  if (value === null || typeof value !== 'object' || isShort || isList)
    return [`${path} = ${line}`];
  return Object.entries(value).flatMap(([name, item]) =>
    linesOf(item, path ? `${path}.${name}` : name),
  );
};

/** One filter for each metric and pattern, which lists its log groups. */
const withMerged = (resources: Template['Resources']): Template['Resources'] => {
  const merged: Template['Resources'] = {};
  for (const [id, resource] of Object.entries(resources)) {
    const { LogGroupName, ...others } = resource.Properties ?? {};
    const { MetricTransformations: [of] = [], FilterPattern } = others;
    const name = of ? `${of.MetricName} ${FilterPattern}` : id;
    const LogGroupNames = [
      ...(merged[name]?.Properties?.LogGroupNames ?? []),
      ...(of ? [shortened(LogGroupName)] : []),
    ];
    merged[name] = of ? { ...resource, Properties: { ...others, LogGroupNames } } : resource;
  }
  return merged;
};

/**
 * Placeholders replace hashes and the stage's name. Lines that all resources of a type share are written once. Metadata is left
 * out.
 */
export const goldenOf = ({ Resources, Outputs }: Template, stage: string): Golden => {
  const text = JSON.stringify({ Resources: withMerged(Resources), Outputs })
    .replace(/[0-9a-f]{64}|[0-9a-f]{36}/g, '<hash>')
    .replaceAll(
      new RegExp(`(?<=petstore[-/]?|Stage|[Ss]tage |")${stage}(?![a-z])([0-9A-F]{8})?`, 'g'),
      '<stage>',
    );
  const { Resources: resources, Outputs: outputs } = shortened(JSON.parse(text)) as {
    readonly [name: string]: { readonly [id: string]: { readonly [name: string]: Json } };
  };
  const all = Object.entries(resources!)
    .map(([id, { Type, Metadata: _, Properties, ...rest }]) => {
      return {
        type: String(Type),
        name: `${Type} ${id}`,
        lines: [...linesOf(rest), ...linesOf(Properties ?? {})],
      };
    })
    .filter(({ type }) => !served.test(type))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const found = [...Map.groupBy(all, ({ type }) => type)].flatMap(([type, ofType]) => {
    const [first, second] = ofType;
    const common = second
      ? first!.lines.filter(line => ofType.every(({ lines }) => lines.includes(line)))
      : [];
    const own = ofType.map(
      ({ name, lines }) => [name, lines.filter(line => !common.includes(line))] as const,
    );
    return common.length ? [[`${type} (each)`, common] as const, ...own] : own;
  });
  return new Map([...found, ['Outputs', linesOf(outputs ?? {})]]);
};

const printed = (name: string, lines: readonly string[]) =>
  [name, ...lines.map(line => `  ${line}`), ''].join('\n');

export const whole = (golden: Golden): string =>
  [...golden].map(([name, lines]) => printed(name, lines)).join('');

/** Of two stages, or two sets of settings. */
export const difference = (from: Golden, to: Golden): string =>
  [...new Set([...from.keys(), ...to.keys()])]
    .sort()
    .flatMap(name => {
      const [before, after] = [from.get(name), to.get(name)];
      if (!after) return `- ${name}\n`;
      if (!before) return printed(`+ ${name}`, after);
      const removed = before.filter(line => !after.includes(line)).map(line => `- ${line}`);
      const added = after.filter(line => !before.includes(line)).map(line => `+ ${line}`);
      return removed.length + added.length ? printed(name, [...removed, ...added]) : [];
    })
    .join('');
