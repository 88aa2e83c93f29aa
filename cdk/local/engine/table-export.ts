import { createHash } from 'node:crypto';
import { createReadStream, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** Reads a local copy of a DynamoDB export to S3 (developer guide, "DynamoDB table export output format"). */

/** An item in DynamoDB JSON. Numbers are strings, so they keep their precision. */
export type ExportedItem = Record<string, AttributeValue>;

interface DataFile {
  readonly path: string;
  readonly itemCount: number;
  readonly md5Checksum: string;
}

export interface TableExport {
  readonly tableArn: string;
  readonly exportTime: string;
  readonly itemCount: number;
  readonly files: readonly DataFile[];
}

const readManifest = (path: string, name: string) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Error(`The ${name} ${path} is missing. Copy the whole folder of the export: aws s3 cp --recursive`);
  }
};

/** The summary in the folder itself, or in the one export below it. */
const findSummary = (folder: string): string => {
  const [found, ...others] = globSync('{.,AWSDynamoDB/*,*/AWSDynamoDB/*}/manifest-summary.json', { cwd: folder });
  if (!found)
    throw new Error(
      `${folder} has no export: no manifest-summary.json. Copy an export into it: aws s3 cp --recursive s3://BUCKET/PREFIX/AWSDynamoDB/EXPORT ${folder}`,
    );
  if (others.length > 0)
    throw new Error(`${folder} has several exports; choose one: ${[found, ...others].map(dirname).join(', ')}`);
  return join(folder, found);
};

/** @throws if it is not a full export in DynamoDB JSON */
export const readTableExport = (folder: string): TableExport => {
  const path = findSummary(folder);
  const summary = JSON.parse(readManifest(path, 'manifest summary'));
  const { tableArn, exportTime, itemCount, outputFormat, exportType = 'FULL_EXPORT' } = summary;
  if (outputFormat !== 'DYNAMODB_JSON' || exportType !== 'FULL_EXPORT')
    throw new Error(`The export is ${exportType} in ${outputFormat}. Export the table as FULL_EXPORT in DYNAMODB_JSON`);
  const files = readManifest(join(dirname(path), 'manifest-files.json'), 'list of files')
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
 * The items of a file.
 * @throws after the last item if the file is incomplete, so validate the file before you write its items
 */
export const itemsOf = async function* ({ path, itemCount, md5Checksum }: DataFile): AsyncGenerator<ExportedItem> {
  // The guide does not say whether the checksum is of the compressed or of the uncompressed bytes. Both are accepted.
  const [compressed, uncompressed] = [createHash('md5'), createHash('md5')];
  const gunzip = createGunzip();
  const source = createReadStream(path);
  source.on('data', chunk => compressed.update(chunk)).on('error', error => gunzip.destroy(error));
  const text = source.pipe(gunzip);
  text.on('data', chunk => uncompressed.update(chunk));
  let items = 0;
  try {
    for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === '') continue;
      const { Item: item } = JSON.parse(line) as { Item?: ExportedItem };
      if (!item?.pk?.S || !item.sk?.S) throw new Error(`line ${items + 1} is not an item with the keys pk and sk`);
      items += 1;
      yield item;
    }
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (items !== itemCount) throw new Error(`${path} has ${items} items; its manifest says ${itemCount}`);
  if (![compressed.digest('base64'), uncompressed.digest('base64')].includes(md5Checksum))
    throw new Error(`${path} has a different checksum than in its manifest. Copy it again.`);
};
