import { environment } from '../environment.ts';

/**
 * The URL of the stage's token endpoint. The environment of getDocs and getOpenApi has it, on the local server as a path; other
 * functions do not have it.
 */
export const tokenUrl = (baseUrl: string): string | undefined => {
  const address = environment.tokenUrl;
  return address?.startsWith('/') ? baseUrl + address : address;
};
