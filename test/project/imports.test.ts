import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operationIds, operations } from '../../lib/operations/index.ts';

const root = join(import.meta.dirname, '../..');

interface ImportRule {
  /** A folder with its subfolders, except for those with a rule of their own; or one file. */
  readonly path: string;
  /** The other folders and files that its files may import. */
  readonly uses: readonly string[];
  /** The same, but only as types. */
  readonly knows?: readonly string[];
  readonly because: string;
}

const rules: readonly ImportRule[] = [
  { path: 'lib', uses: [], because: 'every function may ship it, so it imports nothing' },
  { path: 'lib/schemas', uses: [], because: 'a schema is data' },
  { path: 'lib/aws', uses: [], because: 'the SDK client options do not depend on what is sent' },
  {
    path: 'lib/operations',
    uses: ['lib', 'lib/schemas'],
    because: 'an operation is data; lib/http handles requests',
  },
  {
    path: 'lib/model/table',
    uses: ['lib', 'lib/aws'],
    knows: ['lib/schemas'],
    because: 'table access does not depend on the resources or on HTTP',
  },
  {
    path: 'lib/model',
    uses: ['lib', 'lib/schemas', 'lib/model/table'],
    because: 'the model does not depend on HTTP',
  },
  {
    path: 'lib/events',
    uses: [
      ...['lib', 'lib/aws', 'lib/schemas'],
      ...['lib/model/pet-item.ts', 'lib/model/category-item.ts', 'lib/model/order-item.ts', 'lib/model/invariants.ts'],
    ],
    knows: ['lib/model/table'],
    because: 'an event follows from an item alone, without operations, DynamoDB calls or HTTP',
  },
  {
    path: 'lib/webhooks',
    uses: ['lib', 'lib/aws'],
    because: 'a delivery is the text of a message: it depends neither on events nor on HTTP requests to the API',
  },
  {
    path: 'lib/http',
    uses: ['lib', 'lib/schemas', 'lib/operations'],
    knows: ['lib/model/table'],
    because: 'the middleware does not call the model, so a function that reads no table ships no model',
  },
  {
    path: 'functions',
    uses: ['lib', 'lib/http', 'lib/operations', 'lib/model', 'lib/events', 'lib/webhooks'],
    because: 'a function is only a handler; transport and storage are in lib/',
  },
  {
    path: 'cdk/config',
    uses: [
      ...['lib', 'lib/operations', 'lib/model/table'],
      ...['lib/events/cloud-event.ts', 'lib/events/event-types.ts'],
    ],
    because: 'settings are data',
  },
  {
    path: 'cdk/build/bundle',
    uses: [...['lib', 'lib/operations', 'cdk/build/temp-folder.ts', 'cdk/build/replace-file.ts']],
    because: 'cdk/ refers to functions/ only by name',
  },
  {
    path: 'cdk/stack',
    uses: ['lib', 'lib/http', 'lib/operations', 'lib/model/table', 'cdk/config'],
    knows: ['cdk/build/bundle'],
    because: 'the stack is composed from settings and code folders, without a bundler',
  },
  {
    path: 'cdk/build',
    uses: ['cdk/config', 'cdk/stack', 'cdk/build/bundle'],
    because: 'it builds the app and reads the template that results',
  },
  {
    path: 'cdk/app.ts',
    uses: ['cdk/build', 'cdk/config'],
    because: 'the CDK app is an entry point',
  },
  {
    path: 'cdk/openapi',
    uses: ['lib', 'lib/schemas', 'lib/operations', 'lib/http', 'lib/events', 'cdk/config'],
    because: 'the document is built from the registry, without a stack',
  },
  {
    path: 'cdk/cost',
    uses: ['cdk/config', 'cdk/build', 'cdk/local'],
    because: 'costs are computed from the template',
  },
  {
    path: 'cdk/local',
    uses: [
      ...['cdk/build/template.ts', 'cdk/build/replace-file.ts', 'cdk/config/resource-types.ts'],
      ...['cdk/command.ts', 'cdk/json-or-undefined.ts', 'lib/aws/queue.ts'],
    ],
    knows: ['cdk/build'],
    because:
      'the local server reads only the template and its assets, so it serves what is deployed; one table lists the resource types that it supports',
  },
  {
    path: 'cdk/local/watch',
    uses: ['cdk/build', 'cdk/build/bundle', 'cdk/local'],
    because: 'the watcher bundles and synthesizes; the server does not',
  },
  { path: 'cdk/command.ts', uses: [], because: 'commands and the local server have the same command line' },
  { path: 'cdk/json-or-undefined.ts', uses: [], because: 'commands and the local server read JSON of others' },
  {
    path: 'cdk/commands/shared',
    uses: [
      ...['lib', 'lib/schemas', 'lib/model', 'lib/model/table', 'lib/events/cloud-event.ts'],
      ...['cdk/config', 'cdk/openapi', 'cdk/command.ts'],
    ],
    because: 'shared code does not depend on a command',
  },
  {
    path: 'cdk/commands/audit',
    uses: ['lib/model/item-invariants.ts', 'cdk/commands/shared', 'cdk/config/prices.ts', 'cdk/command.ts'],
    because: 'it recomputes derived attributes without the code that writes them',
  },
  {
    path: 'cdk/commands',
    uses: [
      ...['lib/schemas', 'lib/operations', 'lib/model', 'lib/model/table', 'lib/events', 'lib/aws/queue.ts'],
      ...['cdk/config', 'cdk/build', 'cdk/build/bundle', 'cdk/openapi', 'cdk/cost', 'cdk/local', 'cdk/local/watch'],
      ...['cdk/commands/shared', 'cdk/commands/audit', 'cdk/command.ts', 'cdk/json-or-undefined.ts'],
    ],
    because: 'a command is an entry point: only tests import it',
  },
];

const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'lib', 'functions', 'cdk'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(file => file.endsWith('.ts'));

/** The rule of the innermost folder of a file. */
const ruleOf = (file: string): ImportRule =>
  rules
    .filter(({ path }) => file === path || file.startsWith(`${path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0]!;

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typesOnly: boolean;
}

const statement = /^(?:import|export)\s+(type\s)?([^;'"]*?)\sfrom\s+['"](\.[^'"]+)['"]/gms;

/** An import without names: for its side effects, or dynamic. */
const nameless = /(?:^import\s+|\bimport\(\s*)['"](\.[^'"]+)['"]/gm;

const importsOf = (from: string): Import[] => {
  const text = readFileSync(join(root, from), 'utf8');
  const found = (to: string, typesOnly: boolean): Import => ({
    from,
    to: normalize(join(dirname(from), to)),
    typesOnly,
  });
  const named = [...text.matchAll(statement)].map(([, type, names = '', to]) => {
    const listed = /^{([^}]*)}$/s
      .exec(names.trim())?.[1]
      ?.split(',')
      .map(name => name.trim())
      .filter(Boolean);
    const typesOnly = type !== undefined || (listed?.every(name => name.startsWith('type ')) ?? false);
    return found(to!, typesOnly);
  });
  return [...named, ...[...text.matchAll(nameless)].map(([, to]) => found(to!, false))];
};

const imports = sources.flatMap(importsOf).filter(({ to }) => to.endsWith('.ts'));

const isAllowed = ({ from, to, typesOnly }: Import): boolean => {
  const rule = ruleOf(from);
  const target = ruleOf(to);
  const names = (list: readonly string[] = []) => list.includes(target.path) || list.includes(to);
  return target === rule || names(rule.uses) || (typesOnly && names(rule.knows));
};

describe('the source files', () => {
  it('import only what the rules allow', () => {
    const found = imports
      .filter(entry => !isAllowed(entry))
      .map(({ from, to }) => `${from} imports ${to}; but ${ruleOf(from).because}`);
    expect(found).toEqual([]);
  });

  it('use every import that a rule allows', () => {
    for (const { path, uses, knows = [] } of rules) {
      const own = imports.filter(({ from }) => ruleOf(from).path === path);
      const met = new Set(own.flatMap(({ to }) => [ruleOf(to).path, to]));
      expect(
        [...uses, ...knows].filter(name => !met.has(name)),
        `${path} never imports these`,
      ).toEqual([]);
    }
  });

  it('have no cyclic imports', () => {
    const edges = Map.groupBy(
      imports.filter(({ typesOnly }) => !typesOnly),
      ({ from }) => from,
    );
    const done = new Set<string>();
    const visit = (file: string, trail: string[]): void => {
      expect(trail, `a circle of imports: ${[...trail, file].join(' → ')}`).not.toContain(file);
      if (done.has(file)) return;
      for (const { to } of edges.get(file) ?? []) visit(to, [...trail, file]);
      done.add(file);
    };
    for (const file of sources) visit(file, []);
  });

  it('have at most 160 lines in lib and functions', () => {
    const long = sources
      .filter(file => /^(?:lib|functions)\//.test(file))
      .map(file => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }));
    expect(long.filter(({ lines }) => lines > 160)).toEqual([]);
    expect(long.filter(({ lines }) => lines < 60).length / long.length).toBeGreaterThan(0.5);
  });

  it('in cdk have at least 15 lines, or more than one user', () => {
    const short = sources
      .filter(file => file.startsWith('cdk/') && readFileSync(join(root, file), 'utf8').split('\n').length - 1 < 15)
      .map(file => ({ file, users: new Set(imports.filter(({ to }) => to === file).map(({ from }) => from)) }))
      .filter(({ users }) => users.size === 1)
      .map(({ file, users }) => `${file} is used only by ${[...users]}: move its code there`);
    expect(short).toEqual([]);
  });

  it('of an operation are named after its id, and so is its registry entry', () => {
    const names = (folder: string, others: readonly string[]) =>
      sources
        .filter(file => dirname(file) === folder)
        .map(file => basename(file, '.ts'))
        .filter(name => !others.includes(name))
        .sort();
    const ids = [...operationIds].sort();
    expect(names('lib/operations', ['index', 'operation'])).toEqual(ids);
    expect(names('functions', ['publishEvents', 'deliverWebhooks'])).toEqual(ids);
    expect(Object.entries(operations).map(([name, { id }]) => [name, id])).toEqual(operationIds.map(id => [id, id]));
  });
});
