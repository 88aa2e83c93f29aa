import manifest from '../../package.json' with { type: 'json' };
import { markdownTable } from '../support/markdown-table.ts';

type Command = keyof typeof manifest.scripts;

/** For those who run, call or deploy the service. */
const toUse = {
  start: 'serves the stack on this machine; Ctrl-C stops it',
  seed: 'creates sample data on the local server; for a stage add `-- --stage NAME`',
  verify: 'checks a deployed stage from outside: `-- --stage NAME`',
  cost: 'computes an ordinary month, the worst-case month and an idle month: `-- --stage NAME`',
} satisfies Partial<Record<Command, string>>;

/** For those who operate a stage. */
const toOperate = {
  pause: 'stops events or writes of a stage: `-- --stage NAME --events --writes`',
  query: "runs saved queries on the logs of a stage: `-- --stage NAME '5xx by cause'`",
  audit: 'recomputes derived values of a table, and prints mismatches: `-- --stage NAME`',
  'client-data': 'exports, erases or moves the data of a client or user: `-- export --client ID --stage NAME`',
  adopt: 'makes a restored or imported table usable, and audits it: `-- --stage NAME --table NAME`',
  orders: 'prints the orders of today; cancels open orders that nobody completed: `-- --stage NAME`',
  import: 'creates and changes pets by a CSV file: `-- FILE --stage NAME`',
  export: 'writes the catalog to a CSV file, for `import`: `-- FILE --stage NAME`',
  'events:redrive': 'publishes the changes in the dead-letter queue: `-- --stage NAME`',
  'events:republish': 'publishes the current state of every item: `-- --stage NAME`',
  'webhooks:redrive': 'delivers dead-lettered events again: `-- --stage NAME`',
} satisfies Partial<Record<Command, string>>;

/** For those who work on the project. */
const toWork: Record<Exclude<Command, keyof typeof toUse | keyof typeof toOperate>, string> = {
  dev: 'serves the stack, and reloads changed functions or the whole stack',
  test: 'types, lint, and the tests marked so in `test/README.md`',
  'test:quick': 'pure tests and one served stack, while you edit',
  'test:e2e': 'end-to-end tests: start, dev, kills, a restore, the page',
  prepare: 'writes `cdk/openapi/paths.ts`, the types of the client; `npm ci` and `check` run it',
  check: 'types and lint',
  format: 'formats the code, and fixes lint errors where it can',
  'test:dynamodb-local': 'the tests on DynamoDB Local, which needs Java 17',
  'test:clients': 'clients and validators of others; after `npm ci --prefix test/clients`',
  'test:interleavings': 'interleaving tests of two and three requests, with faults',
  'test:mutation': 'mutation testing: changes each line since the newest tag, and runs its tests',
  'test:long': 'long runs: hostile requests (`-- fuzz`), faults and kills (`-- soak`), random commands (`-- model`)',
  bench: 'benchmarks: `-- cold-start`, `page-cost`, `order-rate`',
  generate: 'writes `cdk/openapi/openapi.json`, the tables of the texts, and the golden texts of the template',
  symbolicate: 'symbolicates a stack trace of a deployed function: a file, or pasted text',
};

const table = (purposes: Readonly<Record<string, string>>): string =>
  markdownTable(
    ['Command', 'Does'],
    ['---', '---'],
    Object.entries(purposes).map(([name, purpose]) => [
      `\`npm ${/^(start|test)$/.test(name) ? '' : 'run '}${name}\``,
      purpose,
    ]),
  );

export const commandsTable = (): string => table(toUse);

export const operateTable = (): string => table(toOperate);

export const workTable = (): string => table(toWork);
