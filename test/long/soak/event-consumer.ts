import { expect } from 'vitest';
import { nextPageOf } from '../../../cdk/openapi/petstore-client.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import type { Client } from '../../support/petstore.ts';

/** A consumer that applies events as they arrive: the highest sequence of each subject wins. */
export const createEventConsumer = () => {
  const newest = new Map<string, { sequence: string; text: string | undefined }>();
  let count = 0;
  return {
    receive: ({ subject, sequence, type, data }: CloudEvent) => {
      count += 1;
      const text = /\.(?:deleted|cancelled)$/.test(type) ? undefined : JSON.stringify(data);
      const known = newest.get(subject);
      if (known?.sequence === sequence) expect(text, 'events of one change carry equal data').toBe(known.text);
      if (!known || known.sequence < sequence) newest.set(subject, { sequence, text });
    },
    count: () => count,
    /** The state after the events so far: subject → representation. */
    state: () => new Map([...newest].flatMap(([subject, { text }]) => (text ? [[subject, text]] : []))),
  };
};

/** Everything that the API returns: subject → representation. */
export const readAll = async (staff: Client): Promise<Map<string, string>> => {
  const all = new Map<string, string>();
  for (const path of ['pets', 'pets/categories', 'store/inventory', 'store/orders']) {
    let address: string | undefined = `/${path}?limit=100`;
    while (address) {
      const { status, headers, body } = await staff('GET', address);
      expect(status, address).toBe(200);
      for (const resource of body) all.set(`${path}/${resource.id ?? resource.petId}`, JSON.stringify(resource));
      address = nextPageOf(headers);
    }
  }
  return all;
};

/** The subjects whose representations differ. */
export const differingSubjects = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter(subject => a.get(subject) !== b.get(subject));
