/**
 * For the documentation page and its files. The page connects to `addresses`, the token endpoint and the API, because the API has
 * another origin than the page if somebody opens the page at the gateway's own URL.
 */
export const contentSecurityPolicy = (...addresses: (string | undefined)[]): string => {
  const origins = new Set(
    addresses.filter(address => address !== undefined).map(address => new URL(address).origin),
  );
  const connect = ["'self'", ...origins].join(' ');
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src ${connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
};
