import { environment } from '../environment.ts';

/**
 * The token endpoint of the stage: a URL, or on the local server a path. Only functions of the documentation have it in their
 * environment.
 */
export const tokenUrl = (baseUrl: string): string | undefined => {
  const address = environment.tokenUrl;
  return address?.startsWith('/') ? baseUrl + address : address;
};
