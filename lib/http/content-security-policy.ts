/**
 * The policy of the documentation page: its own scripts, no frames, and connections to itself and the given URLs. These are the token
 * endpoint and the API, which has another origin when the page was opened at the gateway's own URL.
 */
export const contentSecurityPolicy = (...addresses: (string | undefined)[]): string => {
  const origins = new Set(addresses.filter(address => address !== undefined).map(address => new URL(address).origin));
  const connect = ["'self'", ...origins].join(' ');
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src ${connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
};
