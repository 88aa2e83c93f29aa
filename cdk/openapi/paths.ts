/** Stands in for the generated types, which `npm run client` puts in its place. */
export type paths = Record<never, never>;
