import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { checkpointPathOf } from '../../cdk/commands/import/checkpoint.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { catalogOf, recordsIn } from './catalog.ts';
import { create, createCategory, createPet, newOrder, setQuantity, succeed } from './fixtures.ts';
import { type ForwardedRequest, type Hooks, startForwarder } from './forwarder.ts';
import type { Petstore } from './petstore.ts';
import { runCommand } from './run-command.ts';

export type Cells = Record<string, string | number>;

/** Writes CSV as Excel saves it. */
export const writeAsExcel = (file: string, rows: readonly object[]): void =>
  writeFileSync(
    file,
    stringify([...rows], { header: true, bom: true, delimiter: ';', record_delimiter: 'windows' }),
  );

/** Exports and imports, with a proxy before the petstore. */
export const useImports = async (petstore: Petstore) => {
  const front = await startForwarder('');
  const setHooks = ({ request, response }: Hooks = {}): void => {
    front.hooks = {
      request: async (received, forward) => {
        delete received.headers['accept-encoding'];
        return request?.(received, forward);
      },
      response: async (received, sent) => {
        // The server's own description names its URL.
        if (sent.path === '/local')
          received.body = `${received.body}`.replaceAll(petstore.url, front.url);
        else await response?.(received, sent);
      },
    };
  };
  setHooks();
  beforeAll(() => void Object.assign(front, { target: petstore.url }));
  afterEach(() => setHooks());
  afterAll(front.stop);

  const running =
    (script: string) =>
    (file: string, ...args: string[]) =>
      runCommand(`cdk/commands/${script}.ts`, ['--local', front.url, ...args, file]);
  const [importing, exporting] = [running('import/index'), running('export')];

  /**
   * Calls `happen` for a request whose `METHOD path body` matches, before the stage gets it, or after its response.
   * @param happen gets the first group of `begin`; a status that it returns is the response
   */
  const intercept = (
    when: 'before' | 'after',
    begin: RegExp,
    happen: (group: string) => unknown,
  ): void => {
    const responseTo = async ({ method, path, body }: ForwardedRequest) => {
      const found = begin.exec(`${method} ${path} ${body}`);
      const status = found ? await happen(found[1] ?? '') : undefined;
      return typeof status === 'number'
        ? { status, headers: { 'retry-after': '0' }, body: '{"code":"injected"}' }
        : undefined;
    };
    const response: Hooks['response'] = async (received, request) =>
      void Object.assign(received, await responseTo(request));
    setHooks(when === 'before' ? { request: responseTo } : { response });
  };
  /** Runs until the first request that matches gets 403. */
  const interrupt = async (
    file: string,
    when: 'before' | 'after',
    begin: string,
    ...args: string[]
  ): Promise<void> => {
    intercept(when, new RegExp(`^${begin}`), () => 403);
    const { code, output } = await importing(file, ...args);
    expect([code, output]).toEqual([1, expect.stringContaining('403')]);
    setHooks();
  };

  /** The stage does not know the keys of the file any more. */
  const expireKeys = (file: string): void => {
    const path = checkpointPathOf(file, front.url);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"import":"/, '$&expired '));
  };

  const catalog = catalogOf(petstore);
  const shelve = async (category: string, pets: readonly Cells[]): Promise<void> => {
    const { id: categoryId } = await createCategory(petstore.staff, category);
    for (const { stock, ...fields } of pets) {
      const { id } = await createPet(petstore.staff, categoryId, fields);
      if (stock !== undefined) await setQuantity(petstore.staff, id, Number(stock));
    }
  };
  const idOf = async (name: string, category: string): Promise<number> =>
    (await catalog.petsOf(category)).find(pet => pet.name === name)!.id;
  const order = async (name: string, category: string, quantity: number): Promise<number> =>
    (await newOrder(petstore.shop, await idOf(name, category), quantity)).id;
  /** At the counter. */
  const sell = async (name: string, category: string, quantity: number) => {
    const body = { petId: await idOf(name, category), quantity, complete: true };
    return create(petstore.staff, '/store/orders', body);
  };
  const complete = (orderId: number) =>
    succeed(petstore.staff, 'PATCH', `/store/orders/${orderId}`, { body: { complete: true } });
  const change = async (name: string, category: string, body: object) =>
    succeed(petstore.staff, 'PATCH', `/pets/${await idOf(name, category)}`, { body });
  /** All units in the shop, such as `5 available`. */
  const stocked = async (name: string, category: string): Promise<string> => {
    const path = `/store/inventory/${await idOf(name, category)}?units=stocked`;
    const { quantity, status } = (await petstore.staff('GET', path)).body;
    return `${quantity} ${status}`;
  };
  /** Exports and corrects a category's rows. @returns a file with them, and the rows before the correction */
  const corrected = async (category: string, cellsOf: (row: Cells, index: number) => Cells) => {
    const file = join(tempFolder('data'), 'pets.csv');
    expect((await exporting(file)).code).toBe(0);
    const rows: Cells[] = (await recordsIn(file)).filter(row => row.category === category);
    const edited = rows.map((row, index) => ({ ...row, ...cellsOf(row, index) }));
    writeAsExcel(file, edited);
    return { file, rows };
  };
  const runs = { front, setHooks, importing, exporting, intercept, interrupt, expireKeys };
  return { ...catalog, ...runs, shelve, idOf, order, sell, complete, change, stocked, corrected };
};
