let count = 0;

/** A port for a server that cannot tell which one it was given: of this process alone, and below those that systems give to connections. */
export const ownPort = (): number => 10_000 + ((process.pid * 8 + count++) % 20_000);
