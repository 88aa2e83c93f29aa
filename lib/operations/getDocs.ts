import { pageType } from '../docs-files.ts';
import { operation } from './operation.ts';

export const getDocs = operation({
  id: 'getDocs',
  method: 'GET',
  path: '/docs',
  shortcut: '/',
  access: 'public',
  request: { query: 'any' },
  responses: { 200: { file: [pageType] } },
});
