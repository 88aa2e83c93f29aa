let count = 0;

/**
 * A port for a server that cannot report its port. Processes with other ids use other ports, if they use at most eight and the
 * ids are close. All are below the ephemeral ports, and above 10080, which `fetch` blocks (fetch.spec.whatwg.org, "bad port").
 */
export const uniquePort = (): number => 10_100 + ((process.pid * 8 + count++) % 19_900);
