import { pascalCase } from '../../cdk/openapi/to-schema.ts';
import { type Resource, resources } from '../../lib/model/kinds.ts';
import { allOperations, type RegisteredOperation } from '../../lib/operations/index.ts';

// A new resource is tested by what follows from its row in lib/model/kinds.ts and from its operations.

export type Noun = Resource['noun'];

/** The stock of a pet is part of the item of the pet. */
export type StoredNoun = Exclude<Noun, 'inventory'>;
export const storedNouns = resources.map(({ noun }) => noun).filter((noun): noun is StoredNoun => noun !== 'inventory');

/** The resource at the path of an operation. */
export const resourceAt = ({ path }: { readonly path: string }): Resource | undefined =>
  resources.find(resource => path.replace(/\/{\w+}$/, '') === `/${resource.path}`);

export const operationsOf = (noun: Noun): RegisteredOperation[] =>
  allOperations.filter(operation => resourceAt(operation)?.noun === noun);

/**
 * The resources that refer to no other, and are created, replaced and deleted. For each resource that you exclude here, the
 * compiler demands its rules in test/reference and test/interleavings.
 */
export const simpleResources = resources.flatMap(({ noun, path }) => {
  if (noun === 'pet' || noun === 'inventory' || noun === 'order') return [];
  const name = pascalCase(noun) as Capitalize<typeof noun>;
  const operations = { create: `create${name}`, replace: `replace${name}`, remove: `delete${name}` } as const;
  return [{ noun, path: `/${path}`, idName: `${noun}Id`, ...operations } as const];
});
export type SimpleResource = (typeof simpleResources)[number];
type SimpleId = SimpleResource['create' | 'replace' | 'remove'];

export const bySimpleId = <V>(valuesOf: (resource: SimpleResource) => readonly [create: V, replace: V, remove: V]) => {
  const entries = simpleResources.flatMap(resource => {
    const [create, replace, remove] = valuesOf(resource);
    return Object.entries({ [resource.create]: create, [resource.replace]: replace, [resource.remove]: remove });
  });
  return Object.fromEntries(entries) as Record<SimpleId, V>;
};
