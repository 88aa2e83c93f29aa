import * as z from 'zod/mini';
import { operation } from './operation.ts';

/**
 * The addresses of the API and of its tokens in the committed document: in its guide, its examples and its security scheme.
 * Where the document is served, the stage's own take their place.
 */
export const exampleUrl = 'https://petstore.example.com';
export const exampleTokenUrl = 'https://auth.petstore.example.com/oauth2/token';

export const OpenApi = z.looseObject({ openapi: z.string() });

export const getOpenApi = operation({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'Store',
  access: 'public',
  request: {},
  responses: { 200: OpenApi },
  errors: [],
});
