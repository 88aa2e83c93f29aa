import type { Address } from './caller.ts';

/** What every command that fills a stage is told. */
export const callerOptions = {
  url: { type: 'string', default: 'http://127.0.0.1:3000' },
  client: { type: 'string' },
  secret: { type: 'string' },
  'token-url': { type: 'string' },
} as const;

export const callerUsage = `  --url URL        the API (default http://127.0.0.1:3000)
  --client ID      a client with the scopes that are needed (default: the local ones)
  --secret SECRET  its secret
  --token-url URL  where it gets tokens, if the API's document does not say so`;

type Named = Partial<Record<keyof typeof callerOptions, string>> & { readonly url: string };

/** Where they lead; by default to this machine, as its `staff`. @param misused ends the command */
export const addressOf = (
  { url, client, secret, 'token-url': tokenUrl }: Named,
  misused: (message: string) => never,
): Address => {
  if ((client === undefined) !== (secret === undefined)) misused('--client and --secret go together.');
  return { url, client: client ?? 'staff', secret: secret ?? 'local', tokenUrl };
};
