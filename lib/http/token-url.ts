import { environment } from '../environment.ts';

/** Only getDocs and getOpenApi have it in their environment: a URL, or on the local server a path below the base URL. */
export const tokenUrl = (baseUrl: string): string | undefined => {
  const address = environment.tokenUrl;
  return address?.startsWith('/') ? baseUrl + address : address;
};
