import * as z from 'zod/mini';
import { filesOfPage } from '../docs-files.ts';
import { operation } from './operation.ts';

export const getDocsFile = operation({
  id: 'getDocsFile',
  method: 'GET',
  path: '/docs/{file}',
  access: 'public',
  request: { path: z.object({ file: z.string() }), query: 'any' },
  responses: { 200: { file: Object.values(filesOfPage) } },
  errors: ['not_found'],
});
