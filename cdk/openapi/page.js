/* global SwaggerUIBundle */

// Beside this file's folder, whatever the stage prefix or custom domain.
const url = new URL('../openapi.json', document.currentScript.src).href;

SwaggerUIBundle({
  url,
  dom_id: '#page',
  deepLinking: true,
  displayRequestDuration: true,
  // The validator is another origin.
  validatorUrl: null,
});
