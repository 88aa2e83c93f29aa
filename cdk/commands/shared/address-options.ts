import type { Address } from './open-petstore.ts';

/** Options of every command that calls the API of a stage. */
export const addressOptions = {
  url: { type: 'string', default: 'http://127.0.0.1:3000' },
  client: { type: 'string' },
  secret: { type: 'string' },
  'token-url': { type: 'string' },
} as const;

export const addressUsage = `  --url URL        the API (default http://127.0.0.1:3000)
  --client ID      a client with the scopes that are needed (default: the local ones)
  --secret SECRET  its secret
  --token-url URL  where it gets tokens, if the API's document does not say so`;

type Named = Partial<Record<keyof typeof addressOptions, string>> & { readonly url: string };

/** The stage and client of the options; by default the local server, as its `staff`. @param misused ends the command */
export const addressOf = (
  { url, client, secret, 'token-url': tokenUrl }: Named,
  misused: (message: string) => never,
): Address => {
  if ((client === undefined) !== (secret === undefined)) misused('--client and --secret go together.');
  return { url, client: client ?? 'staff', secret: secret ?? 'local', tokenUrl };
};
