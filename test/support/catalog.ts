import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { onTestFinished } from 'vitest';
import { columns } from '../../cdk/commands/import/rows.ts';
import { nextPageOf } from '../../cdk/openapi/petstore-client.ts';
import type { Petstore } from './petstore.ts';
import { newFolder } from './processes.ts';
import { type ProxiedRequest, startRewritingProxy } from './rewriting-proxy.ts';

/** Fixtures for tests of the import: a file of pets, the current catalog, and a proxy before the stage. */

export interface Pet {
  readonly id: number;
  readonly name: string;
}

/** @param rows of the columns of the import */
export const writeRows = async (rows: readonly object[]): Promise<string> => {
  const file = join(await newFolder(), 'pets.csv');
  writeFileSync(file, stringify([...rows], { header: true, columns: [...columns] }));
  return file;
};

type StatusFor = (request: string) => number | undefined | Promise<number | undefined>;

export const catalogOf = (petstore: Petstore) => {
  const categoryOf = async (name: string): Promise<number> => {
    const { body } = await petstore.staff('GET', '/pets/categories?limit=100');
    return body.find((category: Pet) => category.name === name)?.id ?? 0;
  };

  /** All pets of a category, page by page. */
  const petsOf = async (category: string): Promise<Pet[]> => {
    const [pets, id]: [Pet[], number] = [[], await categoryOf(category)];
    for (let path: string | undefined = id ? `/pets?limit=100&categoryId=${id}` : undefined; path; ) {
      const { body, headers } = await petstore.staff('GET', path);
      pets.push(...body);
      path = nextPageOf(headers)?.replace(petstore.url, '');
    }
    return pets;
  };
  const namesIn = async (category: string) => (await petsOf(category)).map(({ name }) => name).sort();

  /**
   * A proxy before the stage. Each function gets a request (method, path and body), and can return a status to respond with: before
   * the stage receives the request, or instead of its response.
   */
  const startProxy = async ({ before, after }: Readonly<Partial<Record<'before' | 'after', StatusFor>>>) => {
    const textOf = ({ method, path, body }: ProxiedRequest) => `${method} ${path} ${body}`;
    const error = (status = 0) => (status ? { status, headers: { 'retry-after': '0' }, body: '{}' } : undefined);
    const proxy = await startRewritingProxy(petstore.url);
    onTestFinished(proxy.stop);
    proxy.rewrite = {
      request: async request => error(await before?.(textOf(request))),
      response: async (response, request) => void Object.assign(response, error(await after?.(textOf(request)))),
    };
    return proxy.url;
  };

  const stockOf = async (name: string, category: string): Promise<{ quantity: number; status: string }> => {
    const { id } = (await petsOf(category)).find(pet => pet.name === name)!;
    const { quantity, status } = (await petstore.staff('GET', `/store/inventory/${id}`)).body;
    return { quantity, status };
  };

  return { categoryOf, petsOf, namesIn, startProxy, stockOf };
};
