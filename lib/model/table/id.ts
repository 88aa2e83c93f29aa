const epoch = Date.UTC(2025, 0, 1);
const randomBits = 12;

/**
 * A new id: 41 bits of milliseconds since 2025 and 12 random bits, so ids need no counter and sort by creation. Two
 * writers can draw the same one; whoever writes it guards with `attribute_not_exists` and draws again.
 */
export const newId = (): number => (Date.now() - epoch) * 2 ** randomBits + Math.floor(Math.random() * 2 ** randomBits);

/** When an id was drawn, by the clock of who drew it, in milliseconds since the epoch. */
export const createdAt = (id: number): number => epoch + Math.floor(id / 2 ** randomBits);
