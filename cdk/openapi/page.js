/* global SwaggerUIBundle */

// Beside this file's folder, whatever the stage prefix or custom domain.
const address = new URL('../openapi.json', document.currentScript.src).href;

/** Swagger UI's dark theme is a class; the browser's preference sets it, also when that changes. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const showTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', showTheme);
showTheme();

/** An element with its properties and children. */
const element = (name, properties = {}, ...children) => {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
};

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

/** Swagger UI says that it is complete before it has drawn what it knows. */
const rendered = async selector => {
  while (!document.querySelector(selector)) await new Promise(requestAnimationFrame);
};

const operationsOf = ({ paths }) =>
  Object.values(paths).flatMap(methods =>
    Object.entries(methods).map(([method, operation]) => ({ method, ...operation })),
  );

/**
 * Swagger UI fills every example and default into the form. Somebody else's tag, key or cursor surprises there, and an `id` cannot be
 * combined with a limit: so they are shown beside the field, and the field stays empty.
 */
const withEmptyForms = api => {
  for (const parameter of Object.values(api.paths)
    .flatMap(Object.values)
    .flatMap(({ parameters }) => parameters)) {
    const { example, schema } = parameter;
    const absent = schema.default === undefined ? '' : `; ${schema.default} when absent`;
    parameter.description += `${absent}. For example \`${example}\``;
    delete parameter.example;
    delete schema.default;
  }
  return api;
};

/** What an operation can answer beside its success, and the headers of an answer, are folded until somebody asks. */
const folds = ({ React: { createElement, useState } }) => ({
  wrapComponents: {
    response: Response => props => {
      const [isOpen, open] = useState(/^2/.test(props.code));
      if (isOpen) return createElement(Response, props);
      const codes = props.response.get('description').replaceAll('`', '');
      const button = { type: 'button', 'aria-expanded': false, onClick: () => open(true) };
      return createElement(
        'tr',
        { className: 'response folded' },
        createElement('td', {}, createElement('button', button, createElement('b', {}, props.code), ` ${codes}`)),
      );
    },
    headers: Headers => props =>
      createElement(
        'details',
        { className: 'headers-fold' },
        createElement('summary', null, `Headers: ${props.headers.keySeq().join(', ')}`),
        createElement(Headers, props),
      ),
  },
});

/** Opens an operation, or a part of the guide, and goes there. */
const show = target => {
  target.querySelector('.opblock-summary-control[aria-expanded="false"]')?.click();
  if (target instanceof HTMLDetailsElement) target.open = true;
  target.scrollIntoView();
};

const entry = (text, find, ...marks) => {
  const link = element('a', { href: '#page' }, text, ...marks);
  link.addEventListener('click', event => {
    event.preventDefault();
    show(find());
    if (matchMedia('(max-width: 900px)').matches) document.querySelector('#contents').open = false;
  });
  return element('li', {}, link);
};

/** Each part of the guide becomes a fold, the first one open; and an entry of the contents. */
const foldGuide = () => {
  const guide = document.querySelector('.info .renderedMarkdown');
  return [...guide.querySelectorAll('h2')].map((heading, index) => {
    const nodes = [heading];
    for (let next = heading.nextSibling; next && next.nodeName !== 'H2'; next = next.nextSibling) nodes.push(next);
    const fold = element('details', { className: 'part', open: index === 0 });
    heading.before(fold);
    fold.append(...nodes);
    fold.prepend(element('summary', {}, heading));
    // A table or a block of code that is wider than a phone is moved sideways by itself, also with the keyboard.
    for (const wide of fold.querySelectorAll('table, pre')) {
      const scroller = element('div', {
        className: 'wide',
        tabIndex: 0,
        role: 'group',
        ariaLabel: heading.textContent,
      });
      wide.replaceWith(scroller);
      scroller.append(wide);
    }
    return entry(heading.textContent, () => fold);
  });
};

const listContents = api => {
  const contents = document.querySelector('#contents');
  contents.open = !matchMedia('(max-width: 900px)').matches;
  contents.append(element('h2', {}, 'Guide'), element('ul', {}, ...foldGuide()));
  for (const { name } of api.tags) {
    const entries = operationsOf(api)
      .filter(({ tags }) => tags.includes(name))
      .map(({ method, summary, operationId }) => {
        const [, words, mark] = /^(.*?)(?: \((beta|experimental|deprecated)\b.*\))?$/.exec(summary);
        const badge = element('span', { className: `method ${method}` }, method);
        const link = entry('', () => document.getElementById(`operations-${name}-${operationId}`), badge, ` ${words}`);
        if (mark) link.firstChild.append(element('span', { className: 'mark' }, mark));
        return link;
      });
    contents.append(element('h2', {}, name), element('ul', {}, ...entries));
  }
  contents.append(element('h2', {}, element('a', { href: '#page' }, 'Schemas')));
  contents.lastChild.firstChild.addEventListener('click', event => {
    event.preventDefault();
    show(document.querySelector('section.models'));
  });
};

const start = async () => {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${(await answer.json()).message}`);
  const spec = withEmptyForms(await answer.json());
  SwaggerUIBundle({
    spec,
    dom_id: '#page',
    deepLinking: true,
    displayRequestDuration: true,
    requestInterceptor: withoutPreflight,
    plugins: [folds],
    // The validator is another origin.
    validatorUrl: null,
  });
  await rendered('.info .renderedMarkdown h2');
  listContents(spec);
};

start().catch(error => {
  const link = element('a', { href: address }, 'openapi.json');
  document.querySelector('#page').replaceChildren(`The document could not be read (${error.message}). It is at `, link);
});
