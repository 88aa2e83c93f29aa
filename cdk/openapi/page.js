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

/** Expands an operation or a section of the guide, and scrolls to it. */
const scrollTo = target => {
  target.querySelector('.opblock-summary-control[aria-expanded="false"]')?.click();
  if (target instanceof HTMLDetailsElement) target.open = true;
  target.scrollIntoView();
};

const contentsEntry = (text, find, ...children) => {
  const link = element('a', { href: '#page' }, text, ...children);
  link.addEventListener('click', event => {
    event.preventDefault();
    scrollTo(find());
    if (matchMedia('(max-width: 900px)').matches) document.querySelector('#contents').open = false;
  });
  return element('li', {}, link);
};

/** Turns each section of the guide into a details element, the first one open. @returns their entries in the contents */
const collapseGuide = () => {
  const guide = document.querySelector('.info .renderedMarkdown');
  return [...guide.querySelectorAll('h2')].map((heading, index) => {
    const nodes = [heading];
    for (let next = heading.nextSibling; next && next.nodeName !== 'H2'; next = next.nextSibling) nodes.push(next);
    const section = element('details', { className: 'guide-section', open: index === 0 });
    heading.before(section);
    section.append(...nodes);
    section.prepend(element('summary', {}, heading));
    // A table or code block that is wider than the screen scrolls by itself, also with the keyboard.
    for (const wide of section.querySelectorAll('table, pre')) {
      const scroller = element('div', {
        className: 'wide',
        tabIndex: 0,
        role: 'group',
        ariaLabel: heading.textContent,
      });
      wide.replaceWith(scroller);
      scroller.append(wide);
    }
    return contentsEntry(heading.textContent, () => section);
  });
};

const listContents = api => {
  const contents = document.querySelector('#contents');
  contents.open = !matchMedia('(max-width: 900px)').matches;
  contents.append(element('h2', {}, 'Guide'), element('ul', {}, ...collapseGuide()));
  for (const { name } of api.tags) {
    const entries = operationsOf(api)
      .filter(({ tags }) => tags.includes(name))
      .map(({ method, summary, operationId }) => {
        const [, title, label] = /^(.*?)(?: \((beta|experimental|deprecated)\b.*\))?$/.exec(summary);
        const badge = element('span', { className: `method ${method}` }, method);
        const find = () => document.getElementById(`operations-${name}-${operationId}`);
        const link = contentsEntry('', find, badge, ` ${title}`);
        if (label) link.firstChild.append(element('span', { className: 'stability-label' }, label));
        return link;
      });
    contents.append(element('h2', {}, name), element('ul', {}, ...entries));
  }
  contents.append(element('h2', {}, element('a', { href: '#page' }, 'Schemas')));
  contents.lastChild.firstChild.addEventListener('click', event => {
    event.preventDefault();
    scrollTo(document.querySelector('section.models'));
  });
};

const start = async () => {
  const response = await fetch(documentUrl);
  if (!response.ok) throw new Error(`${response.status} ${(await response.json()).message}`);
  const spec = withEmptyForms(await response.json());
  SwaggerUIBundle({
    spec,
    dom_id: '#page',
    deepLinking: true,
    displayRequestDuration: true,
    requestInterceptor: withoutPreflight,
    plugins: [collapseDetails],
    // The validator has another origin.
    validatorUrl: null,
  });
  await rendered('.info .renderedMarkdown h2');
  listContents(spec);
};

start().catch(error => {
  const link = element('a', { href: documentUrl }, 'openapi.json');
  document
    .querySelector('#page')
    .replaceChildren(`The document could not be loaded (${error.message}). Its URL: `, link);
});
