let count = 0;

/**
 * For a server that cannot report its port. Two processes with close ids get different ports if each uses at most eight. All are
 * below the ephemeral ports, and above 10080, the highest that `fetch` blocks (fetch.spec.whatwg.org, "bad port").
 */
export const uniquePort = (): number => 10_100 + ((process.pid * 8 + count++) % 19_900);
