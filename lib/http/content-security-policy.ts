/**
 * The policy of the documentation page and its files. The page loads only its own scripts, and nobody may frame it. It connects
 * to its own origin and to `addresses`: the token endpoint and the API. The API can have another origin than the page, if
 * somebody opens the page at the gateway's own URL.
 */
export const contentSecurityPolicy = (...addresses: (string | undefined)[]): string => {
  const origins = new Set(addresses.filter(address => address !== undefined).map(address => new URL(address).origin));
  const connect = ["'self'", ...origins].join(' ');
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src ${connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
};
