import { setTimeout as sleep } from 'node:timers/promises';
import { note } from '../../command.ts';

/** An emulation changes states at once, so a test waits less. */
const isEmulated = () =>
  Object.entries(process.env).some(
    ([name, url]) => name.startsWith('AWS_ENDPOINT_URL') && url?.startsWith('http:'),
  );

/** Reads a state until it is final, and prints each new status. @param read returns the state and, if not final, its status */
export const whenFinal = async <T>(
  what: string,
  seconds: number,
  read: () => Promise<readonly [state: T, status?: string | undefined]>,
): Promise<T> => {
  for (let printed: string | undefined; ; ) {
    const [state, status] = await read();
    if (status === undefined) return state;
    if (status !== printed) note(`… ${what} is ${status}`);
    printed = status;
    await sleep(isEmulated() ? 20 : seconds * 1_000);
  }
};

/** For lists without a paginator in the SDK. @param read returns a page and the token of the next */
export const allPages = async <T>(
  read: (
    token: string | undefined,
  ) => Promise<readonly [page: readonly T[] | undefined, next: string | undefined]>,
): Promise<T[]> => {
  const all: T[] = [];
  for (let token: string | undefined; ; ) {
    const [page = [], next] = await read(token);
    all.push(...page);
    if (!next) return all;
    token = next;
  }
};
