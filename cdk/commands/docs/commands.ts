import manifest from '../../../package.json' with { type: 'json' };
import { markdownTable } from './marked.ts';

type Command = keyof typeof manifest.scripts;

/** What is there for who runs, calls or deploys the service. */
const toUse = {
  start: 'serves the stack on this machine; Ctrl-C stops it and its engine',
  seed: 'fills a running server with a small shop, or a deployed stage: `-- --url https://… --client ID --secret SECRET`',
  'events:tail': 'shows what a local server tells, as it happens: an event a line; `-- --json` the CloudEvents',
  verify:
    'asks a deployed stage from outside for what no local server can show: `-- --url https://… --client ID --secret SECRET`',
  client: 'writes a typed client of the API',
  cost: 'computes what the worst-case month and an idle month cost: `-- --stage NAME`',
  synth: 'synthesizes the CloudFormation template of a stage, `dev` or `-- --stage NAME`; `npx cdk deploy` deploys it',
} satisfies Partial<Record<Command, string>>;

/** What is there for who answers for a stage. Each says with `-- --help` what it needs. */
const toOperate = {
  audit: 'recomputes what a table’s items derive, and says what differs; it only reads: `-- --table NAME`',
  'rotate-secret':
    'gives a client another secret, without a moment at which none is good: `-- --stage NAME --client NAME`',
  'client-data': 'exports or erases what a client has here: `-- export --client ID --stage NAME`, `-- erase …`',
  'orders:reassign': 'gives the orders of some clients to others, after a move: `-- --map OLD=NEW --stage NAME`',
  'restore-drill':
    'restores a stage’s table to a moment, as another table, holds it against the one of now, audits it and deletes it: `-- --stage NAME`; with `--keep`, for a stage to adopt it',
  import:
    'creates the pets of a file through the API, as fast as the throttle lets it, and goes on where it was cut off',
  'events:redrive': 'tells what could not be told and was kept, and takes it out of its queue; `--dry-run` shows it',
  'events:republish': 'tells everything in a table as it is, which is harmless to repeat; `--dry-run` says the cost',
  'webhooks:redrive': 'sends once more what a webhook did not take: `-- --queue URL --bus NAME`; `--dry-run` shows it',
} satisfies Partial<Record<Command, string>>;

/** What is there for who works on it. */
const toWork: Record<Exclude<Command, keyof typeof toUse | keyof typeof toOperate>, string> = {
  dev: 'serves the stack and follows the source: a save reloads the functions that it changes, and synthesizes again if the stack is another',
  test: 'types, lint, the contract, and every test that needs no process of its own: two minutes',
  'test:quick': 'pure tests and one served stack, for the loop while editing: 20 seconds',
  'test:e2e': 'processes as users run them: start, dev, kills, a restore, the page in a browser; some minutes',
  'test:all': 'all of these, the clients and DynamoDB Local: what `.ci/run` runs',
  check: 'the quick ones: types and lint',
  format: 'formats, and mends what the linter can',
  'test:dynamodb-local': 'the tests on AWS’s own engine, which needs Java 17',
  'test:clients': 'clients and judges that others wrote; after `npm ci --prefix test/clients`',
  'test:interleavings': 'every order of the calls of two and three requests, with faults; minutes',
  'test:mutation':
    'changes the meaning of the code in some hundred places, one at a time, and sees whether the tests notice',
  'test:soak': 'a long run under faults and kills',
  'test:fuzz': 'a long run of hostile requests',
  bench: 'figures: `-- cold-start`, `page-cost`, `order-rate`, `events`, `reload`',
  openapi: 'writes `cdk/openapi/openapi.json` from the registry, and the types of the client, `cdk/openapi/paths.ts`',
  'contract:check':
    'compares the document with that of the newest tag before HEAD, and fails when a change breaks callers',
  docs: 'writes the tables of these texts, those of costs and measured access patterns included',
  symbolicate: 'turns a trace of a deployed function into source lines: a file, or what is pasted',
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
