import { resourcesOf, type Template } from '../build/template.ts';
import { resourceType } from '../config/resource-types.ts';
import { number, sum } from './numbers.ts';

/** One line of the bill, in dollars. */
export interface CostLine {
  readonly what: string;
  readonly bound: string;
  /** In the worst-case month. */
  readonly month: number;
  /** In an idle month. Absent: nothing. */
  readonly idle?: number;
}

/** The standing cost of the resources. @throws at a type without a row in cdk/config/resource-types.ts */
export const standingCosts = (template: Template): CostLine[] => {
  const types = [...new Set(Object.values(template.Resources).map(({ Type }) => Type))];
  return types.flatMap(type => {
    const { idle } = resourceType(type);
    if (idle === 'nothing') return [];
    const { what, unit, price, units } = idle;
    const count = sum(resourcesOf(template, type).map(([, properties]) => units(properties)));
    return [{ what, bound: `${number(count)} ${unit}`, month: count * price, idle: count * price }];
  });
};
