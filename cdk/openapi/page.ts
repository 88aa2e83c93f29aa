import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked } from 'marked';
import { filesOfPage } from '../../lib/docs-files.ts';
import { errors } from '../../lib/errors.ts';
import { exampleTokenUrl, exampleUrl } from '../../lib/operations/getOpenApi.ts';
import type { Document, DocumentedOperation } from './document-types.ts';

export const descriptions = {
  getDocs: ['Read and try the API', 'An HTML page that shows this document.'],
  getDocsFile: [
    'Read a file of the documentation page',
    'The scripts and styles of the page at `/docs`, the typed client and the changelog.',
  ],
} as const;
/** What they respond. */
export const documents = {
  getDocs: ['The documentation page'],
  getDocsFile: ['The file'],
} as const;
export const headersOf = (operation: string) => (operation === 'getDocs' ? ['Service-Link'] : []);
export const guide = {
  url: `${exampleUrl}/docs/guide.md`,
  description: 'The guide: tokens, pagination, retries, errors, events',
};
export const pathParameters = {
  file: {
    description: 'The name of a file',
    schema: { type: 'string', enum: Object.keys(filesOfPage) },
    example: 'page.js',
  },
};

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');

/** What to do with the key of a request that got this error. The API stores no errors, so a rejection leaves the key free. */
const keyAfter = (code: string, status: string, remedy: string): string => {
  if (code === 'idempotency_key_reused') return 'belongs to another request';
  // The caller does not know whether the request was executed.
  if (/^5/.test(status) && code !== 'try_again')
    return 'retry with it: this attempt may have written';
  if (/(?<!do not )retry/.test(remedy)) return 'retry with it: this attempt wrote nothing';
  return 'is free: this attempt wrote nothing';
};

/** The rate limits of all operations, from their descriptions. */
const ratesOf = ({ paths }: Document): string => {
  const rows = Object.values(paths)
    .flatMap(methods => Object.values(methods))
    .map(({ operationId, description }) => {
      const [, rate, burst] = /^\*Rate limit of all callers:\* (.*); burst (\d+)/m.exec(
        description as string,
      )!;
      return `| ${operationId} | ${rate} | ${burst} |`;
    });
  return ['| Operation | Rate limit when deployed | Burst |', '|---|---|---|', ...rows].join('\n');
};

/** The guide, in which functions replace {{url}}. Each error in its table gets its cause, from its message, and what to do with its key. */
export const guideText = (document: Document): string => {
  // A test makes sure that the rows have the order of the errors.
  const messages = Object.values(errors).map(({ message }) =>
    message.replace(/: Authorization.*/, ''),
  );
  return read('guide.md')
    .replaceAll(exampleUrl, '{{url}}')
    .replace('<!-- rates -->', ratesOf(document))
    .replace(/^(\| HTTP \| Code)(.*\n)(.*)/m, '$1 | Cause$2$3---|---|')
    .replace('| What to do |', '| What to do | The same key |')
    .replaceAll(/^(\| (\d{3}) \| `(\w+)` \|)(.+)/gm, (_, ...[row, status, code, remedy]) => {
      return `${row} ${messages.shift()?.split(/[.;](?: |$)/)[0]} |${remedy} ${keyAfter(code, status, remedy)} |`;
    });
};

/** The id of a heading, as GitHub derives it. */
const idOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');

const permalinkOf = (text: string) =>
  `<a class="permalink" href="#${idOf(text)}" aria-label="Link to ${text}">#</a>`;

const marked = new Marked({
  renderer: {
    heading: ({ text, depth }) =>
      `<h${depth} id="${idOf(text)}" tabindex="-1">${text} ${permalinkOf(text)}</h${depth}>`,
  },
});

/** Tables and code are wider than a phone, so each scrolls by itself, also with the keyboard. */
const htmlOf = (markdown: string, title: string): string =>
  marked
    .parse(markdown, { async: false })
    .replaceAll('<pre><code class="language-', '<pre data-label="')
    .replaceAll(/(<pre data-label="\w+">)(.*?)<\/code>/gs, '$1<code>$2</code>')
    .replace(
      /<(table|pre)\b.*?<\/\1>/gs,
      wide => `<div class="wide" tabindex="0" role="group" aria-label="${title}">${wide}</div>`,
    )
    // On a phone, a cell has the name of its column.
    .replace(/<table>.*?<\/table>/gs, table => {
      const names = Array.from(table.matchAll(/<th>(.*?)<\/th>/g), ([, name]) => name);
      let cell = 0;
      return table.replaceAll('<td>', () => `<td data-label="${names[cell++ % names.length]}">`);
    })
    // The address of an error code. If it has two rows, this is the first one, of the id in the path.
    .replace(
      /<tr>(?=\n<td[^>]*>\d{3}<\/td>\n<td[^>]*><code>(\w+))(?!\n<td[^>]*>422.*\n.*_not_found)/g,
      '<tr id="error-$1" tabindex="-1">',
    );

/** The first one is expanded. */
const sectionOf = (section: string, index: number): { title: string; html: string } => {
  const title = section.slice(0, section.indexOf('\n'));
  const summary = `<summary><h2>${title}</h2></summary>`;
  const body = htmlOf(section.slice(title.length), title);
  return {
    title,
    html: `<details id="${idOf(title)}"${index === 0 ? ' open' : ''}>${summary}${permalinkOf(title)}${body}</details>`,
  };
};

const listOf = (title: string, links: readonly string[]) =>
  `<p id="contents-${idOf(title)}">${title}</p><ul aria-labelledby="contents-${idOf(title)}">${links.map(link => `<li>${link}</li>`).join('')}</ul>`;

/** The link to an operation: method, summary, and the label at the end of the summary (descriptions.ts). */
const linkOf = (
  tag: string,
  method: string,
  { operationId, summary }: DocumentedOperation,
): string => {
  const [, title, label] = /^(.*?)(?: \((beta|experimental|deprecated)\b.*\))?$/.exec(
    summary as string,
  )!;
  const badge = label ? ` <small>${label}</small>` : '';
  return `<a href="#/${tag}/${operationId}"><b class="${method}">${method}</b> ${title}${badge}</a>`;
};

const operationLinks = ({ paths }: Document, tag: string): string[] =>
  Object.values(paths)
    .flatMap(methods => Object.entries(methods))
    .filter(([, { tags }]) => (tags as string[]).includes(tag))
    .map(([method, operation]) => linkOf(tag, method, operation));

/**
 * The page with the guide and a table of contents. You can read it without JavaScript; page.js adds the operations. getDocs
 * replaces the placeholders {{base}}, {{url}} and {{tokenUrl}}.
 */
export const pageHtml = (document: Document): string => {
  const markdown = guideText(document);
  const [introduction = '', ...parts] = markdown.split(/^## /m);
  const sections = parts.map(sectionOf);
  const linkTo = (title: string, id = idOf(title)) => `<a href="#${id}">${title}</a>`;
  const guideLinks = sections.map(({ title }) => linkTo(title));
  const headings = Array.from(markdown.matchAll(/^### (.+)$/gm), ([, title]) => linkTo(title!));
  const codes = Array.from(markdown.matchAll(/^\| \d{3} \| `(\w+)`/gm), ([, code]) =>
    linkTo(code!, `error-${code}`),
  );
  const tagLists = document.tags.map(({ name }) => listOf(name, operationLinks(document, name)));
  const lists = [
    listOf('Guide', guideLinks),
    ...tagLists,
    listOf('More', [...headings, ...new Set(codes)]),
  ];
  const guide = [htmlOf(introduction, 'Introduction'), ...sections.map(({ html }) => html)];
  return read('page.html')
    .replace('{{contents}}', () => lists.join('\n'))
    .replace('{{guide}}', () => guide.join('\n'))
    .replaceAll(exampleTokenUrl, '{{tokenUrl}}');
};
