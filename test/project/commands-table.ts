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

const table = (purposes: Readonly<Record<string, string>>): string =>
  markdownTable(
    ['Command', 'Does'],
    ['---', '---'],
    Object.entries(purposes).map(([name, purpose]) => [
      `\`npm ${/^(start|test)$/.test(name) ? '' : 'run '}${name}\``,
      purpose,
    ]),
  );

export const commandsTable = (): string => table({ ...toUse, ...toOperate });
