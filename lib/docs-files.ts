/** The documentation page, a file beside the bundle of its function. */
export const pageFile = 'page.html';
export const pageType = 'text/html';

/** Files that the page loads or links to, beside the bundle of getDocsFile. */
export const filesOfPage = {
  'changelog.md': 'text/plain',
  'guide.md': 'text/plain',
  'llms.txt': 'text/plain',
  'page.css': 'text/css',
  'page.js': 'text/javascript',
  'petstore.postman_collection.json': 'text/plain',
  'petstore.ts': 'text/plain',
  'swagger-ui-bundle.js': 'text/javascript',
  'swagger-ui.css': 'text/css',
} as const satisfies Record<string, string>;
