import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What every command that fills a stage is told. */
const options = {
  url: { type: 'string', default: 'http://127.0.0.1:3000' },
  client: { type: 'string' },
  secret: { type: 'string' },
  'token-url': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export const optionsUsage = `  --url URL        the API (default http://127.0.0.1:3000)
  --client ID      a client with the scopes that are needed (default: the local ones)
  --secret SECRET  its secret
  --token-url URL  where it gets tokens, if the API's document does not say so`;

/** Ends the command. */
export const fail = (message: string): never => {
  console.error(message);
  process.exit(1);
};

/** The command's options, those of its own among them; ends it with its usage where they are wrong, or asked for. */
export const readOptions = <Own extends NonNullable<ParseArgsConfig['options']>>(usage: string, own: Own) => {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { ...options, ...own } });
    const { help, client, secret } = values as Partial<Record<keyof typeof options, unknown>>;
    if (help) {
      console.log(usage);
      process.exit(0);
    }
    if ((client === undefined) !== (secret === undefined)) throw new Error('--client and --secret go together.');
    return { values, positionals };
  } catch (error) {
    return fail(`${(error as Error).message}\n${usage}`);
  }
};
