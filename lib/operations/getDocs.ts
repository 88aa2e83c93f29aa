import * as z from 'zod/mini';
import { operation } from './operation.ts';

export const getDocs = operation({
  id: 'getDocs',
  method: 'GET',
  path: '/docs',
  filesAt: '/docs/{file}',
  tag: 'Store',
  access: 'public',
  request: { path: z.object({ file: z.optional(z.string()) }), query: 'any', headers: ['If-None-Match'] },
  responses: { 200: 'file' },
  errors: ['not_found'],
});
