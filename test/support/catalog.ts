import { join } from 'node:path';
import { columns, revisions, toCell, type Values } from '../../cdk/commands/import/cells.ts';
import { isUnedited } from '../../cdk/commands/import/plan.ts';
import { readSheet } from '../../cdk/commands/import/read-sheet.ts';
import { readRows } from '../../cdk/commands/import/rows.ts';
import { writeSheet } from '../../cdk/commands/shared/sheet.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { nextPageOf } from '../../cdk/openapi/petstore-client.ts';
import { newPet } from './new-pet.ts';
import type { Petstore } from './petstore.ts';

export interface Pet {
  readonly id: number;
  readonly name: string;
}

/** Writes a file; a row without an id is a new pet. @param rows objects with the columns of the import */
export const writeRows = async (
  rows: readonly Values[],
  file = join(tempFolder('data'), 'pets.csv'),
): Promise<string> => {
  await writeSheet(
    file,
    columns,
    rows.map(row => ({ ...newPet, ...row })),
  );
  return file;
};

/** Reads the rows of a file of any kind, by their columns. */
export const recordsIn = async (file: string): Promise<Record<string, string>[]> => {
  const [header, ...lines] = (await readSheet(file)).map(({ cells }) => cells);
  return lines.map(cells =>
    Object.fromEntries(header!.map((name, index) => [name, cells[index] ?? ''])),
  );
};

/** Writes a file as an export of these pets does. @returns its rows after `edit`, and those that the import takes as edited */
export const exportAndRead = async (
  file: string,
  pets: readonly Values[],
  edit = (path: string) => path,
) => {
  const ids = pets.map((_, index) => 245137418240001 + index);
  const revisionOf = revisions();
  const cells = ids.map((id, index) => ({
    id: toCell(id),
    revision: revisionOf(id, pets[index]!),
  }));
  const rows = pets.map((pet, index) => ({ ...pet, ...cells[index] }));
  await writeSheet(file, columns, rows);
  const read = await readRows(edit(file));
  return { read, edited: read.filter(row => !isUnedited(row)) };
};

export const catalogOf = (petstore: Petstore) => {
  const categoryOf = async (name: string): Promise<number> => {
    const { body } = await petstore.staff('GET', '/pets/categories?limit=100');
    return body.find((category: Pet) => category.name === name)?.id ?? 0;
  };

  /** From every page. */
  const petsOf = async (category: string): Promise<Pet[]> => {
    const [pets, id]: [Pet[], number] = [[], await categoryOf(category)];
    for (
      let path: string | undefined = id ? `/pets?limit=100&categoryId=${id}` : undefined;
      path;
    ) {
      const { body, headers } = await petstore.staff('GET', path);
      pets.push(...body);
      path = nextPageOf(headers);
    }
    return pets;
  };
  const namesIn = async (category: string) =>
    (await petsOf(category)).map(({ name }) => name).sort();

  const stockOf = async (
    name: string,
    category: string,
  ): Promise<{ quantity: number; status: string }> => {
    const { id } = (await petsOf(category)).find(pet => pet.name === name)!;
    const { quantity, status } = (await petstore.staff('GET', `/store/inventory/${id}`)).body;
    return { quantity, status };
  };

  return { categoryOf, petsOf, namesIn, stockOf };
};
