import { pascalCase } from '../../cdk/openapi/to-schema.ts';
import { type Resource, resources } from '../../lib/model/kinds.ts';
import { allOperations, type OperationId, type RegisteredOperation } from '../../lib/operations/index.ts';

/** A new resource is tested by what follows from its row in lib/model/kinds.ts and from its operations. */

export type Noun = Resource['noun'];

/** The stock of a pet is part of the item of the pet. */
export type StoredNoun = Exclude<Noun, 'inventory'>;
export const storedNouns = resources.map(({ noun }) => noun).filter((noun): noun is StoredNoun => noun !== 'inventory');

export const resourceOf = (noun: Noun): Resource => resources.find(resource => resource.noun === noun)!;

/** Refers to no other resource. For any other, the compiler demands its rules in test/reference and test/interleavings. */
export type SimpleNoun = Exclude<StoredNoun, 'pet' | 'order'>;
export const simpleNouns = storedNouns.filter((noun): noun is SimpleNoun => noun !== 'pet' && noun !== 'order');

/** The resource at the path of an operation. */
export const resourceAt = ({ path }: { readonly path: string }): Resource | undefined =>
  resources.find(resource => path.replace(/\/{\w+}$/, '') === `/${resource.path}`);

export const operationsOf = (noun: Noun): RegisteredOperation[] =>
  allOperations.filter(operation => resourceAt(operation)?.noun === noun);

const verbs = ['create', 'replace', 'delete'] as const;
type Verb = (typeof verbs)[number];
export type SimpleId = Extract<OperationId, `${Verb}${Capitalize<SimpleNoun>}`>;

/** The operations of a resource that refers to no other. */
export const simpleIds = Object.fromEntries(
  simpleNouns.map(noun => [noun, Object.fromEntries(verbs.map(verb => [verb, `${verb}${pascalCase(noun)}`]))]),
) as Record<SimpleNoun, Record<Verb, SimpleId>>;

/** The values of one resource by verb → those of all resources by operation. */
export const bySimpleId = <V>(valuesOf: (noun: SimpleNoun) => Record<Verb, V>): Record<SimpleId, V> => {
  const entries = simpleNouns.flatMap(noun => {
    const values = valuesOf(noun);
    return verbs.map(verb => [simpleIds[noun][verb], values[verb]] as const);
  });
  return Object.fromEntries(entries) as Record<SimpleId, V>;
};
