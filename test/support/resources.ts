import { pascalCase } from '../../cdk/openapi/to-schema.ts';
import { type Resource, resources } from '../../lib/model/kinds.ts';
import { references } from '../../lib/model/references.ts';
import { allOperations, type RegisteredOperation } from '../../lib/operations/index.ts';

// A new resource is tested by what follows from its row in lib/model/kinds.ts and from its operations.

export type Noun = Resource['noun'];

/** The stock of a pet is part of the item of the pet. */
export type StoredNoun = Exclude<Noun, 'inventory'>;
/** Of a sort key. */
export const nounOf = (kind: string) => kind.toLowerCase() as StoredNoun;

export const storedNouns: readonly StoredNoun[] = [
  ...new Set([
    ...resources.map(({ noun }) => noun),
    ...references.map(({ parent }) => nounOf(parent)),
  ]),
].filter(noun => noun !== 'inventory');

/** The fields of a kind of items that refer to others, each with a value of its parent. */
export const byReference = <V>(
  kind: string,
  value: (parent: StoredNoun, field: string) => V,
): Record<string, V> =>
  Object.fromEntries(
    references
      .filter(one => one.kind === kind)
      .map(({ field, parent }) => [field, value(nounOf(parent), field)]),
  );

/** The resource at the path of an operation, or before a last part without an id. */
export const resourceAt = ({ path }: { readonly path: string }): Resource | undefined =>
  resources.find(resource => path.replace(/\/{\w+}(\/\w+)?$/, '') === `/${resource.path}`);

/** Those of the whole resource. */
export const operationsOf = (noun: Noun): RegisteredOperation[] =>
  allOperations.filter(one => resourceAt(one)?.noun === noun && !/}\/\w+$/.test(one.path));

/**
 * The resources that refer to no other, and are created, replaced and deleted. For each resource that you exclude here, the
 * compiler demands its rules in test/reference and test/interleavings.
 */
export const simpleResources = resources.flatMap(({ noun, path }) => {
  if (noun === 'pet' || noun === 'inventory' || noun === 'order') return [];
  const name = pascalCase(noun) as Capitalize<typeof noun>;
  const operations = {
    create: `create${name}`,
    replace: `replace${name}`,
    remove: `delete${name}`,
  } as const;
  return [{ noun, path: `/${path}`, idName: `${noun}Id`, ...operations } as const];
});
export type SimpleResource = (typeof simpleResources)[number];
type SimpleId = SimpleResource['create' | 'replace' | 'remove'];

export const bySimpleId = <V>(
  valuesOf: (resource: SimpleResource) => readonly [create: V, replace: V, remove: V],
) => {
  const entries = simpleResources.flatMap(resource => {
    const [create, replace, remove] = valuesOf(resource);
    return Object.entries({
      [resource.create]: create,
      [resource.replace]: replace,
      [resource.remove]: remove,
    });
  });
  return Object.fromEntries(entries) as Record<SimpleId, V>;
};
