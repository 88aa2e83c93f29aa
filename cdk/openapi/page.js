/* global SwaggerUIBundle */

// Relative to this script, so that it works under a stage prefix and a custom domain.
const documentUrl = new URL('../openapi.json', document.currentScript.src).href;

/** Swagger UI's dark theme is a class, which follows the preference of the browser. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyTheme);
applyTheme();

/**
 * Moves client credentials from the headers to the form, and removes an empty scope, so that the browser sends no preflight
 * request: the token endpoint has another origin, and Cognito does not document that it supports preflight requests.
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

/** Makes Swagger UI's popup a modal dialog. @returns a function that undoes it, and gives the focus back to its opener */
const openDialog = opener => {
  const behind = document.querySelectorAll(
    'body > :is(.skip, header, nav), #guide, .swagger-ui .wrapper:not(:has(.dialog-ux), .dialog-ux *)',
  );
  const dialog = document.querySelector('.modal-ux');
  Object.assign(dialog, { role: 'dialog', ariaModal: 'true', ariaLabel: 'Authorize' });
  dialog.querySelector('.close-modal').ariaLabel = 'Close';
  for (const scopes of dialog.querySelectorAll('h2')) scopes.ariaLevel = '5'; // Below an h4.
  for (const part of behind) part.inert = true;
  // Swagger UI focuses the last field.
  dialog.querySelector('input')?.focus();
  dialog.querySelector('.modal-ux-content').scrollTop = 0;
  return () => {
    for (const part of behind) part.inert = false;
    opener.focus();
  };
};

/** Authorize is at the top of the page; Swagger UI's button would be below the guide. Its dialog closes after a success. */
const authorization = ({ React: { createElement, useEffect, useState } }) => {
  const closeAfter =
    (authorize, { authActions }) =>
    payload => {
      authorize(payload);
      authActions.showDefinitions(false);
    };
  return {
    statePlugins: { auth: { wrapActions: { authorize: closeAfter, authorizeOauth2: closeAfter } } },
    wrapComponents: {
      authorizeBtn:
        () =>
        ({ onClick, isAuthorized, showPopup, getComponent }) => {
          useEffect(() => {
            const textContent = isAuthorized ? 'Authorized' : 'Authorize';
            Object.assign(document.querySelector('#authorize'), { hidden: false, onclick: onClick, textContent });
          });
          return showPopup ? createElement(getComponent('authorizationPopup', true)) : null;
        },
      authorizationPopup: Popup => props => {
        // Swagger UI focuses a field before the effect.
        const [opener] = useState(document.activeElement);
        useEffect(() => openDialog(opener), []);
        return createElement(Popup, props);
      },
      // The name of a button is its text.
      Button: Button => props => createElement(Button, Object.assign({}, props, { 'aria-label': undefined })),
    },
  };
};

/** API Gateway serves only https, so a page over http is from the local server (lib/http/base-url.ts). */
const isLocal = location.protocol === 'http:';

/** On the local server the examples have the ids of a pet that can be ordered, and of its category: they work as they are. */
const withLocalIds = async api => {
  const response = await fetch(new URL('pets?status=available&limit=1', documentUrl));
  const [pet] = response.ok ? await response.json() : [];
  if (!pet) return api;
  const exampleOf = path => api.paths[path].post.requestBody.content['application/json'].example;
  const text = JSON.stringify(api)
    .replaceAll(exampleOf('/store/orders').petId, pet.id)
    .replaceAll(exampleOf('/pets').categoryId, pet.categoryId);
  return JSON.parse(text);
};

/** A request of an operation with its examples, which uses the `TOKEN` of the guide. */
const curlOf = (baseUrl, path, method, { parameters, requestBody, security }) => {
  const [[type, { example } = {}] = []] = Object.entries(requestBody?.content ?? {});
  const takes = wanted => parameters.some(({ name }) => name === wanted);
  const filled = path.replace(/{(\w+)}/g, (_, wanted) => parameters.find(({ name }) => name === wanted).example);
  const url = `'${baseUrl}${filled}${takes('limit') ? '?limit=5' : ''}'`;
  const lines = [method === 'get' ? `curl -s ${url}` : `curl -s -X ${method.toUpperCase()} ${url}`];
  if (security.length > 0) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (takes('Idempotency-Key')) lines.push('-H "Idempotency-Key: $(uuidgen)"');
  if (type) lines.push(`-H 'Content-Type: ${type}'`, `-d '${JSON.stringify(example)}'`);
  return lines.join(' \\\n  ');
};

/**
 * Swagger UI fills the form with examples and defaults. The example of a tag, a key or a cursor makes the request fail, and an
 * `id` cannot be combined with a limit. So the description has these examples, and their fields are empty.
 */
const emptyField = parameter => {
  const { example, schema } = parameter;
  const absent = schema.default === undefined ? '' : `; default ${schema.default}`;
  parameter.description += `${absent}. For example \`${example}\``;
  delete parameter.example;
  delete schema.default;
};

/** Changes the document for the page: operations have a sample, their errors in a line, and the names of response headers. */
const forPage = api => {
  delete api.info.description; // The page has the guide.
  for (const [path, methods] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const sample = curlOf(api.servers[0].url, path, method, operation);
      operation.parameters.forEach(emptyField);
      // On this page, the guide is above the operations.
      operation.description = operation.description.replaceAll(/\]\([^)]+\/docs#/g, '](#');
      const errors = [];
      for (const [status, response] of Object.entries(operation.responses)) {
        const { $ref, headers } = response;
        if ($ref) {
          delete operation.responses[status];
          if (status === 'default') continue; // Every error that is known has its own line.
          errors.push(`${status} ${api.components.responses[$ref.split('/').at(-1)].description}`);
        } else {
          response.description += `. Headers: ${Object.keys(headers).join(', ')}`;
          delete response.headers;
        }
      }
      operation.description += `\n\n*Errors:* ${errors.join(', ')}.\n\n\`\`\`sh\n${sample}\n\`\`\``;
    }
  return api;
};

const contents = document.querySelector('#contents');
const small = matchMedia('(max-width: 900px)');
contents.open = !small.matches;

/** Expands the place of the address, an operation (`#/Store/placeOrder`) or a part of the guide, and continues there. */
const goTo = () => {
  const [, tag, id] = /^#\/(\w+)\/(\w+)$/.exec(location.hash) ?? [];
  const place = document.getElementById(id ? `operations-${tag}-${id}` : location.hash.slice(1));
  if (!place) return;
  // Before scrolling: on a small screen the contents are above the page.
  if (small.matches) contents.open = false;
  place.closest('details')?.setAttribute('open', '');
  const control = place.querySelector('.opblock-summary-control, summary') ?? place;
  if (control.ariaExpanded === 'false') control.click();
  place.scrollIntoView();
  control.focus({ preventScroll: true });
};
addEventListener('hashchange', goTo);

for (const links of document.querySelectorAll('nav, #guide'))
  links.addEventListener('click', event => {
    // Swagger UI contains zenscroll, which handles clicks at the window: it scrolls to another place, and drops the address.
    event.stopPropagation();
    // The address does not change, so there is no `hashchange`.
    if (event.target.closest('a')?.href === location.href) goTo();
  });

const start = async () => {
  const response = await fetch(documentUrl);
  const api = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${api.message}`);
  // Swagger UI would rewrite the address, and scroll to another place.
  const address = location.hash;
  history.replaceState(null, '', location.pathname + location.search);
  const page = SwaggerUIBundle({
    spec: forPage(isLocal ? await withLocalIds(api) : api),
    dom_id: '#page',
    deepLinking: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    requestInterceptor: withoutPreflight,
    plugins: [authorization],
    // Its colors are in style attributes, for one theme.
    syntaxHighlight: { activated: false },
    // The validator has another origin.
    validatorUrl: null,
  });
  if (isLocal) page.initOAuth({ clientId: 'staff', clientSecret: 'local' });
  // Swagger UI calls `onComplete` before it has rendered the document.
  while (!document.querySelector('.opblock')) await new Promise(requestAnimationFrame);
  if (address) location.replace(address);
};

start().catch(error => {
  const link = Object.assign(document.createElement('a'), { href: documentUrl, textContent: 'openapi.json' });
  document
    .querySelector('#page')
    .replaceChildren(`The document could not be loaded (${error.message}). Its URL: `, link);
});
