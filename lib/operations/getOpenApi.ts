import * as z from 'zod/mini';
import { operation } from './operation.ts';

export const getOpenApi = operation({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'Store',
  access: 'public',
  request: { headers: ['If-None-Match'] },
  responses: { 200: z.looseObject({ openapi: z.string() }) },
  errors: [],
});
