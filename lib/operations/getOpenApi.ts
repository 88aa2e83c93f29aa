import * as z from 'zod/mini';
import { operation } from './operation.ts';

/**
 * The URLs of the API and of its token endpoint in the committed document. The guide, the examples and the security scheme have
 * them. A served document has the URLs of its stage instead.
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
