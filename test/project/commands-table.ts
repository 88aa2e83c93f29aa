import manifest from '../../package.json' with { type: 'json' };
import { markdownTable } from '../support/markdown-table.ts';

type Command = keyof typeof manifest.scripts;

/** For those who run, call or deploy the service. */
const toUse = {
  start: 'serves the stack on this machine; Ctrl-C stops it',
  seed: 'creates sample data',
  verify: 'checks a stage from outside',
  cost: 'computes an ordinary month, the worst-case month and an idle month',
} satisfies Partial<Record<Command, string>>;

/** For those who operate a stage. */
const toOperate = {
  pause: 'stops events or writes',
  query: 'runs saved queries on the logs',
  audit: 'recomputes derived values of the table, and prints mismatches',
  'client-data': 'exports, erases or moves the data of a client or user',
  adopt: 'makes a restored or imported table usable, and audits it',
  orders: 'prints the orders of today; cancels open orders that nobody completed',
  import: 'creates and changes pets by a CSV file',
  export: 'writes the catalog to a CSV file, for `import`',
  'events:redrive': 'publishes the changes in the dead-letter queue',
  'events:republish': 'publishes the current state of every item',
  'webhooks:redrive': 'delivers dead-lettered events again',
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
