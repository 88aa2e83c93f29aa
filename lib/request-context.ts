import { AsyncLocalStorage } from 'node:async_hooks';

/** What answering a request costs in DynamoDB: calls, and request units of each kind. */
export interface Consumption {
  dynamoDbCalls: number;
  readUnits: number;
  writeUnits: number;
}

/** What travels with a request without being handed from function to function. Times are those of the wall clock, in milliseconds. */
export interface RequestContext {
  readonly consumption: Consumption;
  readonly startedAt: number;
  /** From here on nothing is decided and nothing is sent: the answer goes out, and then the process may be frozen. */
  readonly deadline: number;
}

const begun = (timeLeft: number): RequestContext => {
  const startedAt = Date.now();
  return { consumption: { dynamoDbCalls: 0, readUnits: 0, writeUnits: 0 }, startedAt, deadline: startedAt + timeLeft };
};

const present = new AsyncLocalStorage<RequestContext>();

/** Does the work of one request, apart from that of requests that overlap it. @param timeLeft how long it may take, in milliseconds */
export const withinRequest = <T>(timeLeft: number, work: () => T): T => present.run(begun(timeLeft), work);

/** The present request; outside of one, a fresh one that nobody waits for. */
export const requestContext = (): RequestContext => present.getStore() ?? begun(Number.POSITIVE_INFINITY);
