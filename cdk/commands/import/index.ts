import { readFileSync } from 'node:fs';
import { limits } from '../../config/limits.ts';
import { apiOptions, apiUsage, findApiAndClient, isLocal } from '../shared/api-options.ts';
import { commandOf, WrongUse } from '../shared/command.ts';
import { openPetstore } from '../shared/open-petstore.ts';
import { openJournal } from './checkpoint.ts';
import { importCatalogue, uncertain } from './import-pets.ts';
import { readLines } from './lines.ts';

const usage = `npm run import -- FILE [--stage NAME --secret SECRET] [--rate N] [--dry-run] [--again]
Creates the pets of a file through the API. FILE.checkpoint has the pets that were created: after an interruption, run the
same command again.
  FILE             JSON Lines: {"name": "Tom", "category": "Cats", "status": "available", "quantity": 3}
                   Finds a category by its name, or creates it. Status and quantity are optional. A pet of several units
                   is on hold (pending) until its quantity is set.
  --rate N         pets a second (default ${limits.createPet.rate}: the throttle of createPet in cdk/config/limits.ts; with --local 1000)
  --dry-run        checks the file, prints how long the import takes, and sends nothing
  --again          sends pets again whose creation was interrupted more than 23 hours ago. Check first that they are missing
${apiUsage}
  --help           prints this
The client needs the scopes catalog and inventory.`;

const { misused, readOptions, run } = commandOf(usage);
const { values, positionals } = readOptions(
  {
    ...apiOptions,
    rate: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
  },
  { allowPositionals: true },
);
const [file = misused('Which catalogue?')] = positionals;
const rate = Number(values.rate ?? (isLocal(values) ? 1_000 : limits.createPet.rate));
if (!(rate > 0)) misused(`--rate ${values.rate} is no number above 0.`);

const said = (seconds: number): string =>
  seconds < 90
    ? `${Math.ceil(seconds)} s`
    : seconds < 5_400
      ? `${Math.ceil(seconds / 60)} min`
      : `${Math.floor(seconds / 3600)} h ${Math.ceil((seconds % 3600) / 60)} min`;

const journalPath = `${file}.journal`;
const importFile = async () => {
  const lines = readLines(readFileSync(file, 'utf8'));
  const journal = openJournal(journalPath);
  let left = lines.filter(({ key }) => !journal.isDone(key)).length;
  console.log(
    `${lines.length} pets, ${lines.length - left} there already. At ${rate} a second the others take ${said(left / rate)}.`,
  );
  const doubtful = uncertain(lines, journal);
  if (doubtful.length > 0 && !values.again)
    throw new Error(
      `${doubtful.length} were sent more than 23 hours ago and not answered; their keys are forgotten, so they may be there or not: ${doubtful.map(({ name, category }) => `"${name}" (${category})`).join(', ')}. Look (GET /pets?categoryId=…): add --again if they are missing, else take their lines out of the file.`,
    );
  if (values['dry-run'] || left === 0) return;

  const petstore = await openPetstore(await findApiAndClient(values));
  const isTerminal = process.stderr.isTTY;
  const told = setInterval(() => tellProgress(), isTerminal ? 1_000 : 60_000);
  const tellProgress = () =>
    process.stderr.write(`${isTerminal ? '\r\x1b[K' : ''}${left} left, ${said(left / rate)}${isTerminal ? '' : '\n'}`);
  try {
    await importCatalogue(lines, { petstore, journal, rate, tell: () => left-- });
  } finally {
    clearInterval(told);
  }
  console.log(`All ${lines.length} pets of ${file} are there.`);
};

await run(() =>
  importFile().catch((error: Error) => {
    if (error instanceof WrongUse) throw error;
    throw new Error(`${error.message}\nWhat is there is in ${journalPath}: the same command goes on from it.`);
  }),
);
