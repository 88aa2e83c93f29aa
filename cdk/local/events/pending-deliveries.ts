import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BusEvent } from './event-bus.ts';

/** An event on its way to a rule's target. */
export interface Delivery {
  readonly id: string;
  /** Logical id of the rule. */
  readonly rule: string;
  readonly event: BusEvent;
  /** When the bus took it, in milliseconds since the epoch. */
  readonly taken: number;
}

/** What has been taken and is neither delivered nor given up. */
export interface Pending {
  readonly all: () => readonly Delivery[];
  readonly add: (delivery: Delivery) => void;
  readonly remove: (id: string) => void;
}

/** A line is a delivery, or the id of one that is done; a process that was killed may have left half a line. */
const read = (file: string): Map<string, Delivery> => {
  const deliveries = new Map<string, Delivery>();
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return deliveries;
  }
  for (const line of text.split('\n').filter(Boolean)) {
    try {
      const entry: Delivery | string = JSON.parse(line);
      if (typeof entry === 'string') deliveries.delete(entry);
      else deliveries.set(entry.id, entry);
    } catch {}
  }
  return deliveries;
};

/** Kept between runs where there is a folder: what the bus took is delivered, also by the next server there. */
export const createPending = (folder: string | undefined): Pending => {
  const file = folder && join(folder, 'deliveries.ndjson');
  const deliveries = file ? read(file) : new Map<string, Delivery>();
  const append = (entry: Delivery | string) => {
    if (file) appendFileSync(file, `${JSON.stringify(entry)}\n`);
  };
  const rewrite = () => {
    if (!file) return;
    writeFileSync(`${file}.new`, [...deliveries.values()].map(delivery => `${JSON.stringify(delivery)}\n`).join(''));
    renameSync(`${file}.new`, file);
  };
  rewrite();
  return {
    all: () => [...deliveries.values()],
    add: delivery => {
      deliveries.set(delivery.id, delivery);
      append(delivery);
    },
    remove: id => {
      deliveries.delete(id);
      if (deliveries.size > 0) append(id);
      else rewrite();
    },
  };
};
