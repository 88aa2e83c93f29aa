import { localSecret } from './events/aws-json-api.ts';

/** The output of a server that is ready, with a session to paste into a shell. */
export const banner = (url: string, data: string, webhook?: string) => `Petstore is ready at ${url}
${data}${webhook ? `\nEvery event is sent to ${webhook}, signed with the secret ${localSecret}` : ''}

In a browser: ${url}/docs

Try it (each line uses variables of the lines before it):
  TOKEN=$(curl -s -u staff:local -d grant_type=client_credentials ${url}/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  pet() { curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }
  CATEGORY=$(pet ${url}/pets/categories -d '{"name":"Cats"}' | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
  PET=$(pet ${url}/pets -d '{"name":"Tom","categoryId":'$CATEGORY'}' | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
  pet -X PUT ${url}/store/inventory/$PET -d '{"quantity":3}'
  pet ${url}/store/orders -H 'Idempotency-Key: my-first-order' -d '{"petId":'$PET',"quantity":2}'
  curl -s '${url}/pets?status=available'

Ctrl-C stops it.`;

/** A sentence that says where data is stored. */
export const dataLocation = (engine: string, folder: string | undefined): string => {
  if (process.env.DYNAMODB_ENDPOINT) return `Data is stored in the DynamoDB at ${process.env.DYNAMODB_ENDPOINT}.`;
  return folder
    ? `${engine} stores its data in ${folder}.`
    : `${engine} stores its data in memory. It is lost when the server stops.`;
};
