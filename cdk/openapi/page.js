/* global SwaggerUIBundle */

// Relative to this script, so that it works under a stage prefix and a custom domain.
const documentUrl = new URL('../openapi.json', document.currentScript.src).href;

/** Swagger UI's dark theme is a class, which follows the preference of the browser. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyTheme);
applyTheme();

/** An element with its properties and children. */
const element = (name, properties = {}, ...children) => {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
};

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

/** Swagger UI calls `onComplete` before it has rendered the document. */
const rendered = async selector => {
  while (!document.querySelector(selector)) await new Promise(requestAnimationFrame);
};

const operationsOf = ({ paths }) =>
  Object.values(paths).flatMap(methods =>
    Object.entries(methods).map(([method, operation]) => ({ method, ...operation })),
  );

/**
 * Swagger UI fills the form with examples and defaults. An example tag, key or cursor makes the request fail, and an `id`
 * cannot be combined with a limit, so the description has them and the fields are empty.
 */
const withEmptyForms = api => {
  for (const parameter of Object.values(api.paths)
    .flatMap(Object.values)
    .flatMap(({ parameters }) => parameters)) {
    const { example, schema } = parameter;
    const defaultValue = schema.default === undefined ? '' : `; default ${schema.default}`;
    parameter.description += `${defaultValue}. For example \`${example}\``;
    delete parameter.example;
    delete schema.default;
  }
  return api;
};

/** API Gateway serves only https, so a page over http is from the local server (lib/http/base-url.ts). */
const isLocal = location.protocol === 'http:';

/** On the local server the examples have the ids of a pet that can be ordered, and of its category: they work as they are. */
const withLocalIds = async api => {
  const response = await fetch(new URL('pets?status=available&limit=1', documentUrl));
  const [pet] = response.ok ? await response.json() : [];
  if (!pet) return api;
  const exampleOf = path => api.paths[path].post.requestBody.content['application/json'].example;
  const order = exampleOf('/store/orders');
  order.quantity = 1;
  // The guide computes with its ids.
  const { info, ...rest } = api;
  const text = JSON.stringify(rest)
    .replaceAll(order.petId, pet.id)
    .replaceAll(exampleOf('/pets').categoryId, pet.categoryId);
  return { info, ...JSON.parse(text) };
};

/** The Authorize dialog opens at its first field, and closes after a success. */
const authorizeDialog = ({ React: { createElement, useEffect } }) => {
  const closeAfter =
    (authorize, { authActions }) =>
    payload => {
      authorize(payload);
      authActions.showDefinitions(false);
    };
  return {
    statePlugins: { auth: { wrapActions: { authorize: closeAfter, authorizeOauth2: closeAfter } } },
    wrapComponents: {
      authorizationPopup: Popup => props => {
        useEffect(() => {
          // Swagger UI focuses the last field.
          document.querySelector('.modal-ux-content input').focus();
          document.querySelector('.modal-ux-content').scrollTop = 0;
        }, []);
        return createElement(Popup, props);
      },
    },
  };
};

/** A button that copies a text, where the browser allows it: over https, and on this machine. */
const copyButton = text => {
  if (!navigator.clipboard) return '';
  const button = element('button', { type: 'button', className: 'copy', onclick: copy }, 'Copy');
  async function copy() {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    setTimeout(() => button.replaceChildren('Copy'), 2_000);
  }
  return button;
};

/** A table or code block that is wider than the screen scrolls by itself, also with the keyboard. */
const scroller = (content, ariaLabel) =>
  element('div', { className: 'wide', tabIndex: 0, role: 'group', ariaLabel }, content);

const codeBlock = (pre, label) =>
  element('div', { className: 'code' }, scroller(pre, label), copyButton(pre.textContent.trimEnd()));

const sampleUrl = (baseUrl, path, parameters) => {
  const filled = path.replace(/{(\w+)}/g, (_, name) => parameters.find(parameter => parameter.name === name).example);
  return baseUrl + filled + (parameters.some(({ name }) => name === 'limit') ? '?limit=5' : '');
};

/** An object of an example as JavaScript. */
const literal = value => {
  if (typeof value !== 'object') return typeof value === 'string' ? `'${value}'` : String(value);
  return `{ ${Object.entries(value)
    .map(([name, field]) => `${name}: ${literal(field)}`)
    .join(', ')} }`;
};

/** Requests of an operation with its examples, which use `TOKEN` and `accessToken()` of the guide. */
const samplesOf = (baseUrl, path, method, { parameters, requestBody, responses, security }) => {
  const url = sampleUrl(baseUrl, path, parameters);
  const [[type, { example } = {}] = []] = Object.entries(requestBody?.content ?? {});
  const isPrivate = security.length > 0;
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  const [success] = Object.values(responses);
  const read = { 'application/json': 'json' }[Object.keys(success.content ?? {})[0]] ?? 'text';
  const curl = [
    `curl -s ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${url}'`,
    ...(isPrivate ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(takesKey ? [`-H "Idempotency-Key: $(date +%s)"`] : []),
    ...(type ? [`-H 'Content-Type: ${type}'`, `-d '${JSON.stringify(example)}'`] : []),
  ].join(' \\\n  ');
  const headers = [
    ...(isPrivate ? [`Authorization: \`Bearer \${await accessToken()}\``] : []),
    ...(takesKey ? ["'Idempotency-Key': crypto.randomUUID()"] : []),
    ...(type ? [`'Content-Type': '${type}'`] : []),
  ];
  const options = [
    ...(method === 'get' ? [] : [`  method: '${method.toUpperCase()}',`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(type ? [`  body: JSON.stringify(${literal(example)}),`] : []),
  ];
  const fetched = options.length > 0 ? `fetch('${url}', {\n${options.join('\n')}\n})` : `fetch('${url}')`;
  const javascript = `const response = await ${fetched};\nconsole.log(response.status, await response.${read}());`;
  return { curl, JavaScript: javascript };
};

/** Adds the samples of each operation before its responses. */
const withSamples = samples => {
  const show = (node, path, method) =>
    node?.replaceChildren(
      ...Object.entries(samples.get(`${method} ${path}`)).map(([language, sample]) =>
        element(
          'details',
          { className: 'sample' },
          element('summary', {}, `Sample: ${language}`),
          codeBlock(element('pre', {}, element('code', {}, sample)), language),
        ),
      ),
    );
  return ({ React: { createElement, Fragment, useCallback } }) => ({
    wrapComponents: {
      responses: Responses => props => {
        const { path, method } = props;
        const ref = useCallback(node => show(node, path, method), [path, method]);
        return createElement(
          Fragment,
          null,
          createElement('div', { className: 'samples', ref }),
          createElement(Responses, props),
        );
      },
    },
  });
};

/** Error responses and response headers are collapsed at first. */
const collapseDetails = ({ React: { createElement, useState } }) => ({
  wrapComponents: {
    response: Response => props => {
      const [isOpen, open] = useState(/^2/.test(props.code));
      if (isOpen) return createElement(Response, props);
      const codes = props.response.get('description').replaceAll('`', '');
      const button = { type: 'button', 'aria-expanded': false, onClick: () => open(true) };
      return createElement(
        'tr',
        { className: 'response collapsed' },
        createElement('td', {}, createElement('button', button, createElement('b', {}, props.code), ` ${codes}`)),
      );
    },
    headers: Headers => props =>
      createElement(
        'details',
        { className: 'response-headers' },
        createElement('summary', null, `Headers: ${props.headers.keySeq().join(', ')}`),
        createElement(Headers, props),
      ),
  },
});

const small = matchMedia('(max-width: 900px)');

/** The id in an address, or an empty one if it is not percent-encoded correctly: `#100%`. */
const idIn = address => {
  try {
    return decodeURIComponent(address.slice(1));
  } catch {
    return '';
  }
};

/** The place of an address: an operation (`#/Store/placeOrder`, as Swagger UI writes it), or an element with an id. */
const placeOf = address => {
  const [, tag, operationId] = /^#\/([^/]+)\/([^/]+)$/.exec(address) ?? [];
  return document.getElementById(tag ? `operations-${tag}-${operationId}` : idIn(address));
};

/** Expands the place of an address, scrolls to it, and continues there with the keyboard. @returns whether it exists */
const goTo = address => {
  const place = address.length > 1 && placeOf(address);
  if (!place) return false;
  // Before scrolling: on a small screen the contents are above the page.
  if (small.matches) document.querySelector('#contents').open = false;
  const control = place.querySelector('.opblock-summary-control');
  if (control?.ariaExpanded === 'false') control.click();
  const section = place.closest('details');
  if (section) section.open = true;
  place.scrollIntoView();
  (control ?? place.querySelector('summary') ?? place).focus({ preventScroll: true });
  return true;
};

const contentsLink = (href, ...children) => {
  const link = element('a', { href }, ...children);
  link.addEventListener('click', event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // Swagger UI contains zenscroll, which handles clicks at the window: it scrolls to another place, and drops the address.
    event.stopPropagation();
    goTo(href);
    // Swagger UI has changed the address if it expanded an operation.
    if (location.hash !== href) history.pushState(null, '', href);
  });
  return link;
};

const contentsEntry = (href, ...children) => element('li', {}, contentsLink(href, ...children));

/** The id of a heading, as GitHub derives it. */
const idOf = ({ textContent }) => textContent.toLowerCase().replaceAll(' ', '-');

/** Turns each section of the guide into a details element, the first one open. @returns their entries in the contents */
const collapseGuide = () => {
  const guide = document.querySelector('.info .renderedMarkdown');
  return [...guide.querySelectorAll('h2')].map((heading, index) => {
    const nodes = [heading];
    for (let next = heading.nextSibling; next && next.nodeName !== 'H2'; next = next.nextSibling) nodes.push(next);
    const id = idOf(heading);
    const section = element('details', { id, className: 'guide-section', open: index === 0 });
    heading.before(section);
    section.append(...nodes);
    section.prepend(element('summary', {}, heading));
    for (const part of section.querySelectorAll('h3')) Object.assign(part, { id: idOf(part), tabIndex: -1 });
    for (const wide of section.querySelectorAll('table, pre')) {
      const place = document.createComment('');
      wide.replaceWith(place);
      place.replaceWith((wide.matches('pre') ? codeBlock : scroller)(wide, heading.textContent));
    }
    return contentsEntry(`#${id}`, heading.textContent);
  });
};

const listContents = api => {
  const contents = document.querySelector('#contents');
  contents.open = !small.matches;
  contents.append(element('h2', {}, 'Guide'), element('ul', {}, ...collapseGuide()));
  for (const { name } of api.tags) {
    const entries = operationsOf(api)
      .filter(({ tags }) => tags.includes(name))
      .map(({ method, summary, operationId }) => {
        const [, title, label] = /^(.*?)(?: \((beta|experimental|deprecated)\b.*\))?$/.exec(summary);
        const badge = element('span', { className: `method ${method}` }, method);
        const stability = label ? [element('span', { className: 'stability-label' }, label)] : [];
        return contentsEntry(`#/${name}/${operationId}`, badge, ` ${title}`, ...stability);
      });
    contents.append(element('h2', {}, name), element('ul', {}, ...entries));
  }
  Object.assign(document.querySelector('section.models'), { id: 'schemas', tabIndex: -1 });
  contents.append(element('h2', {}, contentsLink('#schemas', 'Schemas')));
};

/** Below the title: the base address, and the files for callers. */
const showAddresses = ({ servers: [{ url }] }) => {
  const base = element('p', {}, 'Base URL ', element('code', {}, url), ' ', copyButton(url));
  const addresses = element('div', { className: 'addresses' }, base, document.querySelector('#files'));
  document.querySelector('.info .main').after(addresses);
};

const start = async () => {
  const response = await fetch(documentUrl);
  if (!response.ok) throw new Error(`${response.status} ${(await response.json()).message}`);
  const api = await response.json();
  const described = isLocal ? await withLocalIds(api) : api;
  const [{ url }] = described.servers;
  const samples = new Map(
    Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method} ${path}`,
        samplesOf(url, path, method, operation),
      ]),
    ),
  );
  const spec = withEmptyForms(described);
  // Swagger UI would scroll to it before the guide has its final height.
  const address = location.hash;
  history.replaceState(null, '', location.pathname + location.search);
  const page = SwaggerUIBundle({
    spec,
    dom_id: '#page',
    deepLinking: true,
    displayRequestDuration: true,
    requestInterceptor: withoutPreflight,
    plugins: [authorizeDialog, withSamples(samples), collapseDetails],
    // Its colors are in style attributes, for one theme.
    syntaxHighlight: { activated: false },
    // The validator has another origin.
    validatorUrl: null,
  });
  if (isLocal) page.initOAuth({ clientId: 'staff', clientSecret: 'local' });
  await rendered('.info .renderedMarkdown h2');
  showAddresses(spec);
  listContents(spec);
  if (goTo(address)) history.replaceState(null, '', address);
  addEventListener('popstate', () => goTo(location.hash));
};

start().catch(error => {
  const link = element('a', { href: documentUrl }, 'openapi.json');
  document
    .querySelector('#page')
    .replaceChildren(`The document could not be loaded (${error.message}). Its URL: `, link);
});
