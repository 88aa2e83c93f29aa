import { prices, secondsPerMonth } from '../config/prices.ts';
import { checkType, idleCosts } from '../config/resource-types.ts';
import { resourcesOf, type Template } from '../synthesis/template.ts';

/** In dollars. */
export interface CostLine {
  readonly what: string;
  readonly bound: string;
  /** In the worst-case month. */
  readonly month: number;
  readonly idle: number;
}

/** @param perSecond dollars in the worst-case month @param idle dollars of an idle month, which are added */
export const costLine = (what: string, bound: string, perSecond: number, idle = 0): CostLine => ({
  what,
  bound,
  month: perSecond * secondsPerMonth + idle,
  idle,
});

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** Dollars, for so many invocations of so many seconds each. */
export const lambdaPrice = (runs: number, seconds: number, megabytes: number): number =>
  runs * (prices.lambdaRequest + ((seconds * megabytes) / 1024) * prices.lambdaGigabyteSecond);

export const number = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 1 });

export const dollars = (value: number): string =>
  value.toLocaleString('en-US', { style: 'currency', currency: 'USD' });

/** @throws if a type has no row in cdk/config/resource-types.ts */
export const standingCosts = (template: Template): CostLine[] => {
  for (const { Type } of Object.values(template.Resources)) checkType(Type);
  return Object.entries(idleCosts).flatMap(([type, [what, unit, price]]) => {
    // An alarm on an expression has a list of metrics. It is charged for each but the expression (aws.amazon.com/cloudwatch/pricing).
    const { length: count } = resourcesOf(template, type).flatMap(([, { Metrics = [{}] }]) =>
      Metrics.filter((of: object) => !('Expression' in of)),
    );
    return count > 0
      ? { what, bound: `${number(count)} ${unit}`, month: count * price, idle: count * price }
      : [];
  });
};
