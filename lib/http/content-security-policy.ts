/**
 * The policy of the documentation page. It may run its own scripts, and connect to the given URLs: the token endpoint, and
 * the API, which is another origin if the stage has a public URL and the page was opened at the gateway's. No page may frame it.
 */
export const contentSecurityPolicy = (...addresses: (string | undefined)[]): string => {
  const origins = new Set(addresses.filter(address => address !== undefined).map(address => new URL(address).origin));
  const connect = ["'self'", ...origins].join(' ');
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src ${connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
};
