import * as z from 'zod/mini';
import { allOperations, type Operation } from '../../lib/operations/index.ts';
import { successOf } from '../../lib/operations/operation.ts';
import { pascalCase } from './to-schema.ts';

/** A link to an operation whose path takes an id that the response has. */
interface Link {
  /** The name of the component: `getOrderById`. */
  readonly name: string;
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Of a schema that is no object: nothing. */
export const shapeOf = (schema: unknown): z.core.$ZodShape =>
  schema instanceof z.ZodMiniObject ? schema.def.shape : {};

/** The links of a response with one resource. @param noun the resource: its `id` is what paths call `petId`, for example */
export const linksOf = (operation: Operation, noun = ''): Link[] => {
  const body = shapeOf(successOf(operation).body);
  return allOperations.flatMap(({ id: operationId, request }) =>
    Object.keys(shapeOf(request.path)).flatMap(parameter => {
      const field = parameter === `${noun}Id` && !(parameter in body) ? 'id' : parameter;
      // A link needs its value.
      if (!body[field] || body[field]._zod.optin) return [];
      const name = `${operationId}By${pascalCase(field.replace('Id', '_id'))}`;
      return [{ name, operationId, parameters: { [parameter]: `$response.body#/${field}` } }];
    }),
  );
};
