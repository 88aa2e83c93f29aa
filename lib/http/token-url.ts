import { environment } from '../environment.ts';

/**
 * Where this stage's tokens come from: an address, or (on one machine) a path of this very server. Undefined for a borrowed
 * pool of which the deployment did not say it.
 */
export const tokenUrl = (baseUrl: string): string | undefined => {
  const address = environment.tokenUrl;
  return address?.startsWith('/') ? baseUrl + address : address;
};
