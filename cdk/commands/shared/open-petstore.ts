import { createPetstore, type Petstore, PetstoreError } from '../../openapi/petstore-client.ts';
import type { ApiAddress } from './api-options.ts';
import { findTokenUrl } from './find-token-url.ts';

/** Attempts of one request: a stage throttles to a few requests a second, and an import outlasts an outage of minutes. */
const attempts = 30;

/** `fetch` that names the URL when it fails. */
const reach = (request: Request): Promise<Response> =>
  fetch(request).catch(cause => {
    throw new Error(`No response from ${request.url}.`, { cause });
  });

/** Without a response to the first request, the URL is wrong: no retry. */
const expectServerAt = (url: string) => reach(new Request(url, { method: 'HEAD' }));

/** A client of the API. The first request gets a token. @throws when the API or its token endpoint does not respond */
export const openPetstore = async ({ url, client, secret, tokenUrl }: ApiAddress): Promise<Petstore> => {
  const baseUrl = url.replace(/\/$/, '');
  await expectServerAt(baseUrl);
  const source = tokenUrl ?? (await findTokenUrl(baseUrl));
  await expectServerAt(source);
  const credentials = { tokenUrl: source, clientId: client, clientSecret: secret };
  return createPetstore({ baseUrl, credentials, attempts, fetch: reach });
};

/** Adds the name of the request to the error message of the API. @throws {Error} */
export const checked = <T>(what: string, data: Promise<T>): Promise<T> =>
  data.catch(error => {
    if (!(error instanceof PetstoreError)) throw error;
    throw new Error(`${what}: ${error.status} ${error.message}`, { cause: error });
  });
