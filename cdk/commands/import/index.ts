import { existsSync, readFileSync, statSync } from 'node:fs';
import { limits } from '../../config/limits.ts';
import { apiOptions, apiUsage, findApiAndClient, findUrl, isLocal } from '../shared/api-options.ts';
import { commandOf } from '../shared/command.ts';
import { openPetstore } from '../shared/open-petstore.ts';
import { checkpointPathOf, openCheckpoint } from './checkpoint.ts';
import { importPets, uncertain } from './import-pets.ts';
import { readLines } from './lines.ts';

const usage = `npm run import -- FILE [--stage NAME --secret SECRET] [--rate N] [--dry-run] [--again]
Creates the pets of a file through the API. FILE.HOST.checkpoint has the pets that were created at the API with this host:
after an interruption, run the same command again.
  FILE             CSV with a header row (name,category,status,quantity), a JSON array, or JSON Lines:
                   {"name": "Tom", "category": "Cats", "status": "available", "quantity": 3}
                   Finds a category by its name, or creates it. Status and quantity are optional. A pet of several units
                   is on hold (pending) until its quantity is set. One without units is sold: set its status when it has some.
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
const [file = misused('Which file? npm run import -- FILE')] = positionals;
const rate = Number(values.rate ?? (isLocal(values) ? 1_000 : limits.createPet.rate));
if (!(rate > 0)) misused(`--rate ${values.rate} is not a number above 0.`);

const durationOf = (seconds: number): string =>
  seconds < 90
    ? `${Math.ceil(seconds)} s`
    : seconds < 5_400
      ? `${Math.ceil(seconds / 60)} min`
      : `${Math.floor(seconds / 3600)} h ${Math.ceil((seconds % 3600) / 60)} min`;

/** @throws {Error} in plain words when there is no such file */
const readPets = () => {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  if (statSync(file).isDirectory()) throw new Error(`${file} is a folder. Name a file.`);
  return readLines(readFileSync(file));
};

const importFile = async () => {
  const lines = readPets();
  const checkpointPath = checkpointPathOf(file, await findUrl(values));
  const checkpoint = openCheckpoint(checkpointPath);
  let left = lines.filter(({ key }) => !checkpoint.isDone(key)).length;
  console.log(
    `${lines.length} pets, ${lines.length - left} created already. At ${rate} a second the others take ${durationOf(left / rate)}.`,
  );
  const doubtful = uncertain(lines, checkpoint);
  if (doubtful.length > 0 && !values.again)
    throw new Error(
      `${doubtful.length} were sent more than 23 hours ago without a response. Their idempotency keys have expired, so they may exist: ${doubtful.map(({ name, category }) => `"${name}" (${category})`).join(', ')}. Check with GET /pets?categoryId=…: add --again if they are missing, else remove their lines from the file.`,
    );
  if (left === 0) console.log(`${checkpointPath} has all of them. To create them again, delete it.`);
  if (values['dry-run'] || left === 0) return;

  const petstore = await openPetstore(await findApiAndClient(values));
  const isTerminal = process.stderr.isTTY;
  const timer = setInterval(() => printProgress(), isTerminal ? 1_000 : 60_000);
  const printProgress = () =>
    process.stderr.write(
      `${isTerminal ? '\r\x1b[K' : ''}${left} left, ${durationOf(left / rate)}${isTerminal ? '' : '\n'}`,
    );
  try {
    await importPets(lines, { petstore, checkpoint, rate, onCreated: () => left-- });
  } catch (error) {
    if (!existsSync(checkpointPath)) throw error;
    throw new Error(
      `${(error as Error).message}\nThe pets that were created are in ${checkpointPath}. Run the same command again to continue.`,
      { cause: error },
    );
  } finally {
    clearInterval(timer);
  }
  console.log(`All ${lines.length} pets of ${file} exist.`);
};

await run(importFile);
