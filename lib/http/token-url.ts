import { environment } from '../environment.ts';

/**
 * The URL of the stage's token endpoint. Only getDocs and getOpenApi have it in their environment: as a URL, or on the local
 * server as a path, which this function appends to the base URL.
 */
export const tokenUrl = (baseUrl: string): string | undefined => {
  const address = environment.tokenUrl;
  return address?.startsWith('/') ? baseUrl + address : address;
};
