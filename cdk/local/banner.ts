/** What a server says when it is ready: lines to paste, each of which uses what the lines before it found. */
export const greeting = (url: string, data: string, webhook?: string) => `Petstore is ready at ${url}
${data}${webhook ? `\nEvery event is sent to ${webhook}, with X-Webhook-Secret: local` : ''}

In a browser: ${url}/docs

Try it (each line uses what the lines before it found):
  TOKEN=$(curl -s -u staff:local -d grant_type=client_credentials ${url}/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  pet() { curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }
  CATEGORY=$(pet ${url}/pets/categories -d '{"name":"Cats"}' | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
  PET=$(pet ${url}/pets -d '{"name":"Tom","categoryId":'$CATEGORY'}' | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
  pet -X PUT ${url}/store/inventory/$PET -d '{"quantity":3}'
  pet ${url}/store/orders -H 'Idempotency-Key: my-first-order' -d '{"petId":'$PET',"quantity":2}'
  curl -s '${url}/pets?status=available'

Ctrl-C stops it.`;

/** Where data go, as somebody who looks for them, or wants them gone, needs it. */
export const whereDataGo = (engine: string, folder: string | undefined): string => {
  if (process.env.DYNAMODB_ENDPOINT) return `Data are kept by the DynamoDB at ${process.env.DYNAMODB_ENDPOINT}.`;
  return folder
    ? `${engine} keeps its data in ${folder}.`
    : `${engine} keeps its data in memory: they go when it stops.`;
};
