let count = 0;

/**
 * A port for a server that cannot tell which one it was given: of this process alone, below those that systems give to
 * connections, and above 10080, which `fetch` refuses (fetch.spec.whatwg.org, "bad port").
 */
export const ownPort = (): number => 10_100 + ((process.pid * 8 + count++) % 19_900);
