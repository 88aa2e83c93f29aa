import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { resourceTypes } from '../../cdk/config/resource-types.ts';
import { standingCosts } from '../../cdk/cost/bill.ts';
import { readApi } from '../../cdk/synthesis/api.ts';
import { everything } from '../stack/settings.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { read, root } from '../support/project.ts';

const assembly = await synthesizeShared({ stage: 'prod', settings: everything });

it('the table has a row for each type that a stage can have, and no other', () => {
  const types = new Set(Object.values(assembly.template.Resources).map(({ Type }) => Type));
  // Only the command line of the CDK adds this type.
  types.add('AWS::CDK::Metadata');
  expect(Object.keys(resourceTypes).sort()).toEqual([...types].sort());
});

it('the table marks as served the types that the local server reads', () => {
  const found = globSync('cdk/{local,synthesis}/**/*.ts', { cwd: root }).flatMap(file =>
    [...read(file).matchAll(/'(AWS::\w+::\w+)'/g)].map(([, type]) => type!),
  );
  const served = Object.entries(resourceTypes).filter(([, row]) => row === 'served');
  expect(served.map(([type]) => type).sort()).toEqual([...new Set(found)].sort());
});

it.each(['AWS::EC2::NatGateway', 'constructor'])(
  'local server and cost model report that %s has no row',
  Type => {
    const { Resources } = assembly.template;
    const template = { Resources: { ...Resources, Another: { Type, Properties: {} } } };
    const message = `The type ${Type} has no row in cdk/config/resource-types.ts.`;
    expect(() => readApi({ ...assembly, template })).toThrow(message);
    expect(() => standingCosts(template)).toThrow(message);
  },
);
