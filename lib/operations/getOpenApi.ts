import * as z from 'zod/mini';
import { operation } from './operation.ts';

/**
 * The guide, examples and security scheme of the committed document have these URLs. A served document has those of its stage.
 */
export const exampleUrl = 'https://petstore.example.com';
export const exampleTokenUrl = 'https://auth.petstore.example.com/oauth2/token';

export const OpenApi = z.looseObject({ openapi: z.string() });

export const getOpenApi = operation({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  access: 'public',
  request: {},
  responses: { 200: OpenApi },
});
