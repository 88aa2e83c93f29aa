import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../build/replace-file.ts';
import { jsonOrUndefined } from '../../commands/shared/json-or-undefined.ts';
import type { BusEvent } from './event-bus.ts';

/** An event that is to be delivered to a rule's target. */
export interface PendingDelivery {
  readonly id: string;
  /** Logical id of the rule. */
  readonly rule: string;
  readonly event: BusEvent;
  /** When the bus received the event, in milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** Events that are neither delivered nor in the dead-letter queue. */
export interface PendingDeliveries {
  readonly all: () => readonly PendingDelivery[];
  readonly add: (delivery: PendingDelivery) => void;
  readonly remove: (id: string) => void;
}

/** A line is a delivery, or the id of a finished one. A killed process may have left an incomplete line. */
const readFile = (file: string): Map<string, PendingDelivery> => {
  const deliveries = new Map<string, PendingDelivery>();
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return deliveries;
  }
  for (const line of text.split('\n').filter(Boolean)) {
    const entry: PendingDelivery | string | undefined = jsonOrUndefined(line);
    if (typeof entry === 'string') deliveries.delete(entry);
    else if (entry) deliveries.set(entry.id, entry);
  }
  return deliveries;
};

/** With a data folder, they survive a restart: the next server delivers them. */
export const createPendingDeliveries = (folder: string | undefined): PendingDeliveries => {
  const file = folder && join(folder, 'deliveries.ndjson');
  const deliveries = file ? readFile(file) : new Map<string, PendingDelivery>();
  const append = (entry: PendingDelivery | string) => {
    if (file) appendFileSync(file, `${JSON.stringify(entry)}\n`);
  };
  const rewrite = () => {
    if (file) replaceFile(file, [...deliveries.values()].map(delivery => `${JSON.stringify(delivery)}\n`).join(''));
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
