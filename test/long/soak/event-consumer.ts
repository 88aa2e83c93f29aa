import { expect } from 'vitest';
import { nextPageOf } from '../../../cdk/openapi/petstore-client.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import type { Client } from '../../support/petstore.ts';

/** What somebody has who folds events as they come, without keeping them: of each subject the newest. */
export const foldTold = () => {
  const newest = new Map<string, { sequence: string; text: string | undefined }>();
  let count = 0;
  return {
    hear: ({ subject, sequence, type, data }: CloudEvent) => {
      count += 1;
      const text = /\.(?:deleted|cancelled)$/.test(type) ? undefined : JSON.stringify(data);
      const known = newest.get(subject);
      if (known?.sequence === sequence) expect(text, 'events of one change carry equal data').toBe(known.text);
      if (!known || known.sequence < sequence) newest.set(subject, { sequence, text });
    },
    count: () => count,
    /** What is there by what was told. */
    present: () => new Map([...newest].flatMap(([subject, { text }]) => (text ? [[subject, text]] : []))),
  };
};

/** Everything that the API answers, as subjects and representations. */
export const answered = async (staff: Client): Promise<Map<string, string>> => {
  const all = new Map<string, string>();
  for (const path of ['pets', 'pets/categories', 'store/inventory', 'store/orders']) {
    let address: string | undefined = `/${path}?limit=100`;
    while (address) {
      const { status, headers, body } = await staff('GET', address);
      expect(status, address).toBe(200);
      for (const thing of body) all.set(`${path}/${thing.id ?? thing.petId}`, JSON.stringify(thing));
      address = nextPageOf(headers);
    }
  }
  return all;
};

/** Subjects of which two parties know something else. */
export const differing = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter(subject => a.get(subject) !== b.get(subject));
