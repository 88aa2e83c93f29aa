import * as z from 'zod/mini';
import { operation } from './operation.ts';

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
