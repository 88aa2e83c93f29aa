import { WrongUse } from './command.ts';

/** Region and credentials of a client of the SDK for this machine, where nobody checks them. */
export const localClient = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};

/** What a server of this machine says of itself: names and addresses, as its functions know them. @throws {WrongUse} */
export const describedAt = async (url: string): Promise<Record<string, string>> => {
  const response = await fetch(`${url.replace(/\/$/, '')}/local`).catch(() => undefined);
  if (!response?.ok) throw new WrongUse(`No local server answers at ${url}/local. Start one: npm start`);
  return (await response.json()) as Record<string, string>;
};

/** @throws {WrongUse} when something else is named beside a local server */
export const refuseBeside = (...others: (string | undefined)[]): void => {
  if (others.some(other => other !== undefined)) throw new WrongUse('--local names everything: leave the others out.');
};
