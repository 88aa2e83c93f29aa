import { readFile } from 'node:fs/promises';
import { filesOfPage } from '../lib/docs-files.ts';
import { ApiError } from '../lib/errors.ts';
import { contentSecurityPolicy } from '../lib/http/content-security-policy.ts';
import { handle } from '../lib/http/handle.ts';
import { getDocsFile } from '../lib/operations/getDocsFile.ts';

const isFileOfPage = (name: string): name is keyof typeof filesOfPage =>
  Object.hasOwn(filesOfPage, name);

export const handler = handle(getDocsFile)(async ({ path: { file }, baseUrl }) => {
  if (!isFileOfPage(file)) throw new ApiError('not_found');
  const text = await readFile(new URL(file, import.meta.url), 'utf8');
  return {
    content: text.replaceAll('{{url}}', baseUrl),
    type: filesOfPage[file],
    policy: contentSecurityPolicy(),
  };
});
