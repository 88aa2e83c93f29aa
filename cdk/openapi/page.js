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
  return Object.assign(request, {
    headers: { Accept, 'Content-Type': type },
    body: form.toString(),
  });
};

/** Makes Swagger UI's popup a modal dialog. @returns a function that undoes it, and gives the focus back to its opener */
const openDialog = opener => {
  const behind = document.querySelectorAll(
    '.skip, body > header, nav, #guide, .swagger-ui > :not(:has(.dialog-ux))',
  );
  const dialog = document.querySelector('.modal-ux');
  Object.assign(dialog, { role: 'dialog', ariaModal: 'true', ariaLabel: 'Authorize' });
  dialog.querySelector('.close-modal').ariaLabel = 'Close';
  for (const title of dialog.querySelectorAll('.auth-container h4:first-child'))
    title.textContent = /OAuth2/.test(title.textContent)
      ? 'With client id and secret'
      : 'With an access token';
  for (const scopes of dialog.querySelectorAll('h2')) scopes.ariaLevel = '5'; // Below an h4.
  for (const part of behind) part.inert = true;
  // Swagger UI focuses the last field.
  dialog.querySelector('input')?.focus();
  dialog.querySelector('.modal-ux-content').scrollTop = 0;
  // The fields of a client are not in a form.
  dialog.addEventListener('keydown', ({ key, target }) => {
    if (key === 'Enter' && target.matches('input:not(form *)'))
      target.closest('.auth-container').querySelector('.authorize').click();
  });
  return () => {
    for (const part of behind) part.inert = false;
    opener.focus();
  };
};

/**
 * Authorize is at the top of the page; Swagger UI's button would be below the guide. Its dialog closes after a success. An example
 * stands beside its schema, and no control is inside another.
 */
const plugin = ({ React: { createElement, useEffect, useState } }) => {
  const closeAfter =
    (authorize, { authActions, errActions }) =>
    payload => {
      authorize(payload);
      errActions.clear({ type: 'auth' });
      authActions.showDefinitions(false);
    };
  const Layout = ({ getComponent }) => {
    const parts = ['AuthorizeBtnContainer', 'operations', 'Models'];
    const elements = parts.map(name =>
      createElement('div', { key: name }, createElement(getComponent(name, true))),
    );
    return createElement('div', { className: 'swagger-ui' }, elements);
  };
  return {
    statePlugins: { auth: { wrapActions: { authorize: closeAfter, authorizeOauth2: closeAfter } } },
    components: { Layout, DeepLink: ({ text }) => createElement('span', null, text) },
    wrapComponents: {
      authorizeBtn:
        () =>
        ({ onClick, isAuthorized, showPopup, getComponent }) => {
          useEffect(() => {
            const textContent = isAuthorized ? 'Authorized' : 'Authorize';
            Object.assign(document.querySelector('#authorize'), {
              disabled: false,
              onclick: onClick,
              textContent,
            });
          });
          return showPopup ? createElement(getComponent('authorizationPopup', true)) : null;
        },
      authorizationPopup: Popup => props => {
        // Swagger UI focuses a field before the effect.
        const [opener] = useState(document.activeElement);
        useEffect(() => openDialog(opener), []);
        return createElement(Popup, props);
      },
      authError:
        () =>
        ({ error }) => {
          const message = error.get('message');
          const reason = message.includes('invalid_client')
            ? 'The client id or the secret is wrong'
            : 'No token';
          const ref = alert => alert?.scrollIntoView({ block: 'nearest' });
          return createElement(
            'p',
            { className: 'errors', role: 'alert', ref },
            `${reason} (${message}).`,
          );
        },
      liveResponse: Response => props => {
        const onClick = () => document.querySelector('#authorize').click();
        const button = createElement(
          'button',
          { className: 'btn missing', onClick },
          'Authorize first',
        );
        const isMissing = props.response.get('status') === 401;
        return createElement(
          'div',
          { role: 'status' },
          isMissing && button,
          createElement(Response, props),
        );
      },
      modelExample: Tabs => props => {
        const { example, specPath, getComponent, isExecute, schema } = props;
        if (isExecute || !schema) return createElement(Tabs, props);
        const options = Object.assign({}, props, { fullPath: specPath.toJS(), expandDepth: 2 });
        const model = createElement(getComponent('ModelWrapper'), options);
        return createElement('div', { className: 'beside' }, example, model);
      },
      // The name of a button is its text.
      Button: Button => props =>
        createElement(Button, Object.assign({}, props, { 'aria-label': undefined })),
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

/** A request of an operation with its examples in three languages, after the setup in the guide's "Get a token". */
const samplesOf = (baseUrl, path, method, { parameters, requestBody, security }) => {
  const [[type, { example } = {}] = []] = Object.entries(requestBody?.content ?? {});
  const takes = wanted => parameters.some(({ name }) => name === wanted);
  const exampleOf = wanted => parameters.find(({ name }) => name === wanted).example;
  const filled = path.replace(/{(\w+)}/g, (_, wanted) => exampleOf(wanted));
  const query = [takes('name') && ['name', 'Tom'], takes('limit') && ['limit', 5]].filter(Boolean);
  const url = `'${baseUrl}${filled}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}'`;
  const [verb, body] = [method.toUpperCase(), `'${JSON.stringify(example)}'`];
  // Literal, so that a command without a UUID sends no write without a key, and the same command sent again replays.
  const key = crypto.getRandomValues(new BigUint64Array(1))[0].toString(36);
  const headers = [
    security.length > 0 && ['Authorization', 'Bearer $TOKEN', "f'Bearer {token}'"],
    takes('Idempotency-Key') && ['Idempotency-Key', key, `'${key}'`],
    type && ['Content-Type', type, `'${type}'`],
  ].filter(Boolean);
  const flags = headers.map(([name, value]) => ` \\\n  -H "${name}: ${value}"`).join('');
  const fields = headers.map(([name, , value]) => `    '${name}': ${value},\n`).join('');
  const values = Object.fromEntries(
    Array.from(path.matchAll(/{(\w+)}/g), ([, name]) => [name, exampleOf(name)]),
  );
  const params = [
    Object.keys(values).length > 0 && `path: ${JSON.stringify(values)}`,
    query.length > 0 && `query: ${JSON.stringify(Object.fromEntries(query))}`,
  ].filter(Boolean);
  const options = [
    params.length > 0 && `    params: { ${params.join(', ')} },\n`,
    type && `    body: ${JSON.stringify(example)},\n`,
    path.startsWith('/docs') && "    parseAs: 'text',\n",
  ].filter(Boolean);
  const call = `petstore.${verb}('${path}'${options.length > 0 ? `, {\n${options.join('')}  }` : ''})`;
  return {
    curl: `curl -s ${verb === 'GET' ? '' : `-X ${verb} `}${url}${flags}${type ? ` \\\n  -d ${body}` : ''}`,
    JavaScript: `try {\n  console.log(await orThrow(${call}));\n} catch (error) {\n  console.log(error.status, error.code);\n}`,
    Python: `request = Request(${url}, method='${verb}', headers={\n${fields}})\n${type ? `request.data = b${body}\n` : ''}try:\n    print(urlopen(request).read().decode())\nexcept HTTPError as error:\n    print(error.code, json.load(error)['code'])`,
  };
};

/** Changes the document for the page: operations have samples, errors lead to the guide, and headers are only named. */
const forPage = api => {
  for (const [path, methods] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const samples = Object.entries(samplesOf(api.servers[0].url, path, method, operation));
      const address = `#/${operation.tags[0]}/${operation.operationId}`;
      texts.set(
        address,
        [method, path, ...Object.keys(operation.responses), operation.description].join(' '),
      );
      // On this page, the guide is above the operations.
      operation.description = operation.description.replaceAll(/\]\([^)]+\/docs#/g, '](#');
      operation.description += '\n\nFirst: [Get a token](#get-a-token).';
      for (const [language, sample] of samples)
        operation.description += `\n\n<details><summary>${language}</summary>\n\n\`\`\`\n${sample}\n\`\`\`\n\n</details>`;
      for (const [status, response] of Object.entries(operation.responses)) {
        const { $ref, headers } = response;
        if ($ref) {
          const { description } = api.components.responses[$ref.split('/').at(-1)];
          operation.responses[status] = {
            description: description.replaceAll(/`(\w+)`/g, '[$&](#error-$1)'),
          };
        } else {
          response.description += `. Headers: ${Object.keys(headers).join(', ')}`;
          delete response.headers;
        }
      }
    }
  return api;
};

const contents = document.querySelector('#contents');
const small = matchMedia('(max-width: 900px)');
contents.open = !small.matches;

/** Expands the place of the address, an operation (`#/Orders/placeOrder`) or a part of the guide, and continues there. */
const goTo = async () => {
  const [, tag, id] = /^#\/(\w+)\/(\w+)$/.exec(location.hash) ?? [];
  const place = document.getElementById(id ? `operations-${tag}-${id}` : location.hash.slice(1));
  if (!place) return;
  // Before scrolling: on a small screen the contents are above the page.
  if (small.matches) contents.open = false;
  place.closest('details')?.setAttribute('open', '');
  const control = place.querySelector('.opblock-summary-control, summary') ?? place;
  if (control.ariaExpanded === 'false') control.click();
  control.focus({ preventScroll: true });
  // Before Swagger UI has rendered an operation, the page can be too short to scroll to it.
  await new Promise(requestAnimationFrame);
  place.scrollIntoView();
};
addEventListener('hashchange', goTo);

document.addEventListener('click', event => {
  const link = event.target.closest('a[href^="#"]');
  if (!link) return;
  // Swagger UI contains zenscroll, which handles clicks at the window: it scrolls to another place, and drops the address.
  event.stopPropagation();
  // Swagger UI opens all links of a description in a new tab.
  link.target = '';
  // The address does not change, so there is no `hashchange`.
  if (link.href === location.href) goTo();
});

/** Without permission to store, a language is chosen until the page is closed. */
const chosen = (() => {
  try {
    return localStorage;
  } catch {
    return {};
  }
})();
const openSample = sample => {
  sample.open = sample.firstElementChild.innerText === (chosen.language ?? 'curl');
};
document.addEventListener('click', event => {
  const { parentElement, innerText } = event.target.closest('.sample:not([open]) > summary') ?? {};
  if (!parentElement) return;
  event.preventDefault();
  chosen.language = innerText;
  const { top } = parentElement.getBoundingClientRect();
  document.querySelectorAll('.sample').forEach(openSample);
  // Samples above have another height now.
  scrollBy(0, parentElement.getBoundingClientRect().top - top);
});

/** Marks in the contents what is at the top of the window. */
const markPlace = () => {
  const isAbove = place => place.getBoundingClientRect().top < 100;
  const { id = '' } =
    [...document.querySelectorAll('#guide details, .opblock')].findLast(isAbove) ?? {};
  const [, ...operation] = /^operations-(\w+)-(\w+)$/.exec(id) ?? [];
  const hash = `#${operation.length > 0 ? ['', ...operation].join('/') : id}`;
  for (const link of document.querySelectorAll('nav a'))
    link.ariaCurrent = link.hash === hash ? 'location' : null;
};
addEventListener('scroll', markPlace, { passive: true });

// As page.css displays them from the start.
document.querySelector('#guide').classList.toggle('ready', !small.matches);
for (const section of document.querySelectorAll('#guide.ready details')) section.open = true;

const search = document.querySelector('#search');
/** What a search finds beside the text of a link, by its address: of operations path, statuses and description, of the guide its text. */
const texts = new Map();
for (const section of document.querySelectorAll('#guide details'))
  texts.set(`#${section.id}`, section.textContent);
/** Headings and error codes are in the contents only while they are searched. An operation is also found by its id. */
const filterContents = () => {
  const wanted = search.value.trim().toLowerCase();
  const entries = [...document.querySelectorAll('nav li')];
  const has = text => text.toLowerCase().includes(wanted);
  const named = entries.filter(({ textContent, firstChild }) =>
    has(`${textContent} ${firstChild.hash}`),
  );
  // Without a name that matches, texts are searched.
  const found =
    named.length > 0
      ? named
      : entries.filter(({ firstChild }) => has(texts.get(firstChild.hash) ?? ''));
  for (const entry of entries)
    entry.hidden = wanted ? !found.includes(entry) : entry.matches('#contents ul:last-of-type *');
  document.querySelector('#nothing').hidden = document.querySelector('nav li:not([hidden])');
  if (wanted) contents.open = true;
};
search.oninput = filterContents;
search.onkeydown = ({ key }) =>
  void (key === 'Enter' && document.querySelector('nav li:not([hidden]) a')?.click());
addEventListener('keydown', event => {
  if (event.key !== '/' || event.target.matches('input, textarea, select')) return;
  event.preventDefault();
  search.focus();
});
filterContents();

const copy = async ({ target: button }) => {
  await navigator.clipboard.writeText(button.nextSibling.textContent);
  button.ariaLabel = 'Copied';
  setTimeout(() => Object.assign(button, { ariaLabel: 'Copy' }), 2_000);
};

/** Comments, strings and keywords of the languages of the samples. */
const tokens =
  /(?<comment>(?:^|\s)(?:#|\/\/) .*)|(?<string>"[^"\n]*"|'[^']*'|`[^`]*`)|\b(?<keyword>const|import|from|await|async|return|if|for|of|in|while|try|catch|except|as|class|def|new|print|true|false|null)\b/gm;
/** Colors are CSS highlights, which leave the text and its copy as they are. Older browsers show no colors. */
const colors = new Map(
  ['comment', 'string', 'keyword'].map(name => [name, globalThis.Highlight && new Highlight()]),
);
for (const [name, color] of colors) globalThis.CSS.highlights?.set(name, color);
const colorize = ({ firstChild: text }) => {
  if (!globalThis.Highlight || text?.nodeType !== Node.TEXT_NODE) return;
  for (const { index, groups } of text.data.matchAll(tokens)) {
    const [name, found] = Object.entries(groups).find(([, group]) => group);
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + found.length);
    colors.get(name).add(range);
  }
};

/** Adds what Swagger UI lacks, whenever it has rendered: copy buttons that say that they copied, and names of controls. */
const complete = () => {
  for (const code of document.querySelectorAll('main pre > code:not(.colored)')) {
    code.classList.add('colored');
    colorize(code);
  }
  for (const sample of document.querySelectorAll('.opblock-description details:not(.sample)')) {
    sample.className = 'sample';
    openSample(sample);
  }
  for (const summary of document.querySelectorAll('.opblock-summary:not(:has(.permalink))')) {
    const [, tag, id] = summary.closest('.opblock').id.split('-');
    const link = `<a class="permalink" href="#/${tag}/${id}" aria-label="Link to ${id}">#</a>`;
    summary.insertAdjacentHTML('beforeend', link);
  }
  // Browsers offer the clipboard only to https and this machine.
  for (const code of document.querySelectorAll(
    navigator.clipboard ? 'main pre:not(.copy + *)' : 'none',
  )) {
    code.before(document.querySelector('#copy').content.cloneNode(true));
    code.previousSibling.onclick = copy;
  }
  for (const table of document.querySelectorAll('table[role]')) table.removeAttribute('role');
  for (const control of document.querySelectorAll(
    '.opblock :is(input, select, textarea), .model-box-control',
  ))
    control.ariaLabel ??=
      control.closest('[data-param-name]')?.dataset.paramName ?? (control.innerText || 'Body');
};
new MutationObserver(complete).observe(document.querySelector('main'), {
  childList: true,
  subtree: true,
});
complete();

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
    plugins: [plugin],
    layout: 'Layout',
    // Its colors are in style attributes, for one theme.
    syntaxHighlight: { activated: false },
  });
  if (isLocal) page.initOAuth({ clientId: 'staff', clientSecret: 'local' });
  // Swagger UI calls `onComplete` before it has rendered the document.
  while (!document.querySelector('.opblock')) await new Promise(requestAnimationFrame);
  if (address) location.replace(address);
};

start().catch(error => {
  const failure = document.querySelector('#failure');
  failure.hidden = false;
  failure.querySelector('span').textContent = error.message;
  failure.querySelector('button').onclick = () => location.reload();
});
