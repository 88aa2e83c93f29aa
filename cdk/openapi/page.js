/* global SwaggerUIBundle */

// Beside this file's folder, whatever the stage prefix or custom domain.
const url = new URL('../openapi.json', document.currentScript.src).href;

/**
 * Client credentials go into the form instead of the headers that Swagger UI gives them, and a scope that was not chosen is
 * not sent. So a browser needs no preflight: the token endpoint is another origin and lets all read its answer, but whether
 * it answers preflights is not documented. Every other request stays as it is.
 */
const withoutPreflight = request => {
  const { Accept, 'Content-Type': type, Authorization = '' } = request.headers ?? {};
  const [, credentials] = /^Basic (.+)$/.exec(Authorization) ?? [];
  if (!credentials) return request;
  const [id, ...secret] = atob(credentials).split(':');
  const form = new URLSearchParams(request.body);
  if (!form.get('scope')) form.delete('scope');
  form.set('client_id', id);
  form.set('client_secret', secret.join(':'));
  return Object.assign(request, { headers: { Accept, 'Content-Type': type }, body: form.toString() });
};

SwaggerUIBundle({
  url,
  dom_id: '#page',
  deepLinking: true,
  displayRequestDuration: true,
  requestInterceptor: withoutPreflight,
  // The validator is another origin.
  validatorUrl: null,
});
