import { environment } from '../environment.ts';

/**
 * Where this stage's tokens come from: an address, or (on one machine) a path of this very server. Undefined where the
 * stack does not say it: only the functions of the documentation are told.
 */
export const tokenUrl = (baseUrl: string): string | undefined => {
  const address = environment.tokenUrl;
  return address?.startsWith('/') ? baseUrl + address : address;
};
