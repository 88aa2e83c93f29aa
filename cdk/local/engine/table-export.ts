import { createHash } from 'node:crypto';
import { createReadStream, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** A table as DynamoDB exports it to S3 (developer guide, "DynamoDB table export output format"), copied to this machine. */

/** An item as the API has it: numbers are texts, and stay exactly as they are. */
export type ExportedItem = Record<string, AttributeValue>;

interface DataFile {
  readonly path: string;
  readonly itemCount: number;
  readonly md5Checksum: string;
}

export interface Export {
  /** Of which table, and when. */
  readonly tableArn: string;
  readonly exportTime: string;
  readonly itemCount: number;
  readonly files: readonly DataFile[];
}

const readJson = (path: string, what: string) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Error(`There is no ${what} ${path}. Copy the whole folder of the export: aws s3 cp --recursive`);
  }
};

/** The folder itself, or the one export below it. */
const findSummary = (folder: string): string => {
  const [found, ...others] = globSync('{.,AWSDynamoDB/*,*/AWSDynamoDB/*}/manifest-summary.json', { cwd: folder });
  if (!found)
    throw new Error(
      `${folder} has no export: no manifest-summary.json. Copy one here: aws s3 cp --recursive s3://BUCKET/PREFIX/AWSDynamoDB/EXPORT ${folder}`,
    );
  if (others.length > 0)
    throw new Error(`${folder} has several exports; name one: ${[found, ...others].map(dirname).join(', ')}`);
  return join(folder, found);
};

/** @throws when it is no full export in DynamoDB's JSON, saying what to do */
export const readExport = (folder: string): Export => {
  const path = findSummary(folder);
  const summary = JSON.parse(readJson(path, 'summary'));
  const { tableArn, exportTime, itemCount, outputFormat, exportType = 'FULL_EXPORT' } = summary;
  if (outputFormat !== 'DYNAMODB_JSON' || exportType !== 'FULL_EXPORT')
    throw new Error(`The export is ${exportType} in ${outputFormat}. Export anew: FULL_EXPORT in DYNAMODB_JSON`);
  const files = readJson(join(dirname(path), 'manifest-files.json'), 'list of files')
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => JSON.parse(line))
    .map(({ dataFileS3Key, itemCount: items, md5Checksum }) => ({
      path: join(dirname(path), 'data', basename(dataFileS3Key)),
      itemCount: items,
      md5Checksum,
    }));
  return { tableArn, exportTime, itemCount, files };
};

/**
 * The items of a file, one after the other.
 * @throws when it is not whole: after its last item, so whoever writes reads it once before
 */
export const itemsOf = async function* ({ path, itemCount, md5Checksum }: DataFile): AsyncGenerator<ExportedItem> {
  // The guide does not say of which bytes the checksum is; it has to be that of one of the two.
  const [packed, unpacked] = [createHash('md5'), createHash('md5')];
  const gunzip = createGunzip();
  const source = createReadStream(path);
  source.on('data', chunk => packed.update(chunk)).on('error', error => gunzip.destroy(error));
  const text = source.pipe(gunzip);
  text.on('data', chunk => unpacked.update(chunk));
  let items = 0;
  try {
    for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === '') continue;
      const { Item: item } = JSON.parse(line) as { Item?: ExportedItem };
      if (!item?.pk?.S || !item.sk?.S) throw new Error(`line ${items + 1} is no item with the keys pk and sk`);
      items += 1;
      yield item;
    }
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (items !== itemCount) throw new Error(`${path} has ${items} items; its manifest says ${itemCount}`);
  if (![packed.digest('base64'), unpacked.digest('base64')].includes(md5Checksum))
    throw new Error(`${path} has another checksum than its manifest says: copy it once more`);
};
