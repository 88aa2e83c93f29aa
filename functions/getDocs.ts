import { readFile } from 'node:fs/promises';
import { ApiError } from '../lib/errors.ts';
import { handle } from '../lib/http/handle.ts';
import { getDocs } from '../lib/operations/getDocs.ts';

/** The files beside this bundle that make the page; nothing else of the folder is served. */
const types: Record<string, string> = {
  'page.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
};

/** The page runs its own scripts, talks to its own API, and can be framed by nobody. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const handler = handle(getDocs)(async ({ path, baseUrl }) => {
  const name = path.file ?? 'page.html';
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (!type || path.file === 'page.html') throw new ApiError('not_found');
  const text = await readFile(new URL(name, import.meta.url), 'utf8');
  const content = path.file ? text : text.replaceAll('{{base}}', new URL(baseUrl).pathname.replace(/\/$/, ''));
  return { status: 200, file: { content, type, policy } };
});
