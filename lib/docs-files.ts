/** The documentation page, which lies beside its function, and its media type. */
export const pageFile = 'page.html';
export const pageType = 'text/html';

/** The files that the page loads, which lie beside theirs, and their media types. Nothing else of the folder is served. */
export const filesOfPage = {
  'page.css': 'text/css',
  'page.js': 'text/javascript',
  'swagger-ui-bundle.js': 'text/javascript',
  'swagger-ui.css': 'text/css',
} as const satisfies Record<string, string>;
