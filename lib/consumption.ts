import { AsyncLocalStorage } from 'node:async_hooks';

/** What answering a request costs in DynamoDB: calls, and request units of each kind. */
export interface Consumption {
  roundTrips: number;
  readUnits: number;
  writeUnits: number;
}

const nothing = (): Consumption => ({ roundTrips: 0, readUnits: 0, writeUnits: 0 });

const current = new AsyncLocalStorage<Consumption>();

/** From here on, what this request consumes is counted apart from that of requests that overlap it. */
export const startCounting = (): void => current.enterWith(nothing());

/** The count of the present request. */
export const consumption = (): Consumption => current.getStore() ?? nothing();
