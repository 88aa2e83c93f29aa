/** The documentation page, a file beside the bundle of its function, and its media type. */
export const pageFile = 'page.html';
export const pageType = 'text/html';

/** The files that the page loads or links to, beside the bundle of their function, and their media types. */
export const filesOfPage = {
  'changelog.md': 'text/plain',
  'guide.md': 'text/plain',
  'llms.txt': 'text/plain',
  'page.css': 'text/css',
  'page.js': 'text/javascript',
  'petstore.ts': 'text/plain',
  'swagger-ui-bundle.js': 'text/javascript',
  'swagger-ui.css': 'text/css',
} as const satisfies Record<string, string>;
