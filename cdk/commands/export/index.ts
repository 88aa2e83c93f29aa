import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { limits } from '../../config/limits.ts';
import { columns } from '../import/lines.ts';
import { apiOptions, apiUsage, findApiAndClient, isLocal } from '../shared/api-options.ts';
import { commandOf } from '../shared/command.ts';
import { openPetstore } from '../shared/open-petstore.ts';
import { type ExportedPet, readCatalog } from './read-catalog.ts';

// Half the throttle of the slowest list that it reads: callers have the other half.
const defaultRate = Math.min(limits.listPets.rate, limits.listInventory.rate, limits.listCategories.rate) / 2;

const usage = `npm run export -- FILE [--stage NAME --secret SECRET] [--rate N]
Writes the catalog to a file that npm run import reads: name, category, status and quantity of each pet. Open orders and
the descriptions of categories are not in the file. A value that starts with = is written unchanged, and a spreadsheet can
evaluate it as a formula.
  FILE             pets.csv, pets.json (an array) or pets.jsonl (JSON Lines). An existing file is replaced
  --rate N         pages of 100 a second (default ${defaultRate}; with --local no limit)
${apiUsage}
  --help           prints this
The client needs the scope inventory.`;

/** The text of a file, by its extension. A byte order mark makes Excel read UTF-8; the import skips it. */
const formats: Readonly<Record<string, (pets: ExportedPet[]) => string>> = {
  '.csv': pets => stringify(pets, { header: true, columns: [...columns], bom: true }),
  '.json': pets => `${JSON.stringify(pets, undefined, 2)}\n`,
  '.jsonl': pets => pets.map(pet => `${JSON.stringify(pet)}\n`).join(''),
};

const { misused, readOptions, run } = commandOf(usage);
const { values, positionals } = readOptions({ ...apiOptions, rate: { type: 'string' } }, { allowPositionals: true });
const [file = misused('Which file? npm run export -- FILE')] = positionals;
const format = formats[extname(file).toLowerCase()] ?? misused(`${file} does not end with .csv, .json or .jsonl.`);
const rate = Number(values.rate ?? (isLocal(values) ? Number.POSITIVE_INFINITY : defaultRate));
if (!(rate > 0)) misused(`--rate ${values.rate} is not a number above 0.`);

await run(async () => {
  const pets = await readCatalog(await openPetstore(await findApiAndClient(values)), rate);
  writeFileSync(file, format(pets));
  console.log(`${pets.length} pets are in ${file}.`);
});
