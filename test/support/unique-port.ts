let count = 0;

/**
 * A port for a server that cannot report its port. Each port is unique to this process. All ports are below the ephemeral
 * ports, and above 10080, which `fetch` blocks (fetch.spec.whatwg.org, "bad port").
 */
export const uniquePort = (): number => 10_100 + ((process.pid * 8 + count++) % 19_900);
