import { AsyncLocalStorage } from 'node:async_hooks';

/** What a request consumes in DynamoDB: calls and request units. */
interface Consumption {
  dynamoDbCalls: number;
  readUnits: number;
  writeUnits: number;
}

/** What the log line of a request says about its resource. */
interface Subject {
  /** The id of the resource in the path, or of the created resource. */
  resourceId?: number;
  /** The id of the pet whose order is written. */
  petId?: number | undefined;
  /** The request completes an order. */
  completed?: true | undefined;
  replayed?: true;
}

/** The state of a request that is not passed as a parameter. Times are in milliseconds since the epoch. */
export interface RequestContext {
  readonly consumption: Consumption;
  readonly subject: Subject;
  readonly startedAt: number;
  /** No call to AWS starts after this time. The response is sent then, and afterwards Lambda may freeze the process. */
  readonly deadline: number;
}

const createContext = (timeLeft: number): RequestContext => {
  const startedAt = Date.now();
  const consumption = { dynamoDbCalls: 0, readUnits: 0, writeUnits: 0 };
  return { consumption, subject: {}, startedAt, deadline: startedAt + timeLeft };
};

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs the work of one request in a context of its own. @param timeLeft milliseconds until its deadline */
export const withinRequest = <T>(timeLeft: number, work: () => T): T => storage.run(createContext(timeLeft), work);

/** The context of the current request. Outside of a request, a new context without a deadline. */
export const requestContext = (): RequestContext => storage.getStore() ?? createContext(Number.POSITIVE_INFINITY);

/** Milliseconds until the deadline of the current request. */
export const timeLeft = (): number => requestContext().deadline - Date.now();
