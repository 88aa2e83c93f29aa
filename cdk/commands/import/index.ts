import { readFileSync } from 'node:fs';
import { limits } from '../../config/limits.ts';
import { addressOf, addressOptions, addressUsage } from '../shared/address-options.ts';
import { commandOf } from '../shared/command.ts';
import { openPetstore } from '../shared/open-petstore.ts';
import { openJournal } from './checkpoint.ts';
import { importCatalogue, uncertain } from './import-pets.ts';
import { readLines } from './lines.ts';

const usage = `npm run import -- FILE [--dry-run] [--rate N] [--url URL] [--client ID --secret SECRET] [--token-url URL]
  FILE             JSON Lines: {"name": "Tom", "category": "Cats", "status": "available", "quantity": 3}
                   A category is found by its name, or made; status and quantity may be absent. A pet of several units
                   is on hold (pending) until they are counted.
  --dry-run        checks the file, says how long the import takes, and sends nothing
  --rate N         pets a second (default ${limits.createPet.rate}: the throttle of createPet in cdk/config/limits.ts; more on this machine)
  --again          sends once more what was cut off over 23 hours ago and may be there: look before
${addressUsage}
The scopes are catalog and inventory. FILE.journal remembers what is there: the same command goes on where it was cut off.`;

const { misused, readOptions, run } = commandOf(usage);
const { values, positionals } = readOptions(
  {
    ...addressOptions,
    rate: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
  },
  { allowPositionals: true },
);
const [file = misused('Which catalogue?')] = positionals;
const address = addressOf(values, misused);

const isHere = /^(localhost|127\.0\.0\.1|\[::1])$/.test(URL.parse(address.url)?.hostname ?? '');
const rate = Number(values.rate ?? (isHere ? 1_000 : limits.createPet.rate));
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

  const petstore = await openPetstore(address);
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
    throw new Error(`${error.message}\nWhat is there is in ${journalPath}: the same command goes on from it.`);
  }),
);
