import { environment } from '../environment.ts';

/**
 * The URL of the stage's token endpoint. Only the environments of getDocs and getOpenApi have it. On the local server, they have
 * a path, which this function appends to the base URL.
 */
export const tokenUrl = (baseUrl: string): string | undefined => {
  const address = environment.tokenUrl;
  return address?.startsWith('/') ? baseUrl + address : address;
};
