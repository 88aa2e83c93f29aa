/**
 * What the documentation page may do: run its own scripts, and talk to the addresses that it is given: the API's (which is
 * another origin than the page's own where it is known by a public address and the page was opened at the stage's), and
 * that where the stage issues tokens. It can be framed by nobody.
 */
export const contentSecurityPolicy = (...addresses: (string | undefined)[]): string => {
  const origins = new Set(addresses.filter(address => address !== undefined).map(address => new URL(address).origin));
  const connect = ["'self'", ...origins].join(' ');
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src ${connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
};
