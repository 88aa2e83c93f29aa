import { AsyncLocalStorage } from 'node:async_hooks';

/** What a request consumes in DynamoDB. */
interface Consumption {
  dynamoDbCalls: number;
  readUnits: number;
  writeUnits: number;
}

/** What the log line of a request says about its resource. */
interface Subject {
  /** Of the resource in the path, or of the created resource. */
  resourceId?: number;
  /** The pet whose order is written. */
  petId?: number | undefined;
  completed?: true | undefined;
  replayed?: true;
}

/** Times are in milliseconds since the epoch. */
export interface RequestContext {
  readonly consumption: Consumption;
  readonly subject: Subject;
  readonly startedAt: number;
  /** No call to AWS starts later, because the response is sent then, and afterwards Lambda may freeze the process. */
  readonly deadline: number;
}

const createContext = (timeLeft: number): RequestContext => {
  const startedAt = Date.now();
  const consumption = { dynamoDbCalls: 0, readUnits: 0, writeUnits: 0 };
  return { consumption, subject: {}, startedAt, deadline: startedAt + timeLeft };
};

const storage = new AsyncLocalStorage<RequestContext>();

/** @param timeLeft milliseconds */
export const withinRequest = <T>(timeLeft: number, work: () => T): T =>
  storage.run(createContext(timeLeft), work);

/** Outside of a request, a new context without a deadline. */
export const requestContext = (): RequestContext =>
  storage.getStore() ?? createContext(Number.POSITIVE_INFINITY);

/** Milliseconds until the deadline. */
export const timeLeft = (): number => requestContext().deadline - Date.now();
