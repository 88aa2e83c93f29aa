import { createPetstore, type Petstore, PetstoreError } from '../../openapi/petstore-client.ts';
import { findTokenUrl } from './find-token-url.ts';

/** A stage, and the client that calls it. */
export interface Address {
  readonly url: string;
  readonly client: string;
  readonly secret: string;
  /** Absent: as the stage's document says. */
  readonly tokenUrl?: string | undefined;
}

/** How often one request is sent at most: a stage takes a few a second, and an import outlasts minutes without it. */
const attempts = 30;

/** `fetch` that names the URL when it fails. */
const reach = (request: Request): Promise<Response> =>
  fetch(request).catch(cause => {
    throw new Error(`Nothing answers at ${request.url}.`, { cause });
  });

/** A URL where nothing answers from the beginning is wrong, and not retried. */
const expectServerAt = (url: string) => reach(new Request(url, { method: 'HEAD' }));

/** The API of a stage. The first request issues the token. @throws when nothing answers at its URL or its token URL */
export const openPetstore = async ({ url, client, secret, tokenUrl }: Address): Promise<Petstore> => {
  const baseUrl = url.replace(/\/$/, '');
  await expectServerAt(baseUrl);
  const source = tokenUrl ?? (await findTokenUrl(baseUrl));
  await expectServerAt(source);
  const credentials = { tokenUrl: source, clientId: client, clientSecret: secret };
  return createPetstore({ baseUrl, credentials, attempts, fetch: reach });
};

/** Adds what was sent to the API's own message. @throws {Error} */
export const checked = <T>(what: string, data: Promise<T>): Promise<T> =>
  data.catch(error => {
    if (!(error instanceof PetstoreError)) throw error;
    throw new Error(`${what} was answered ${error.status}: ${error.message}`, { cause: error });
  });
