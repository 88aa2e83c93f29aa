const epoch = Date.UTC(2025, 0, 1);
const randomBits = 12;

/**
 * A new id: 41 bits of milliseconds since 2025 and 12 random bits. Ids need no counter and sort by creation time. Two writers
 * can get the same id, so write it with `attribute_not_exists` and retry with another one.
 */
export const newId = (): number => (Date.now() - epoch) * 2 ** randomBits + Math.floor(Math.random() * 2 ** randomBits);

/** The least id of a time in milliseconds since the epoch. For a time that no id can have, it is rounded. */
export const firstIdAt = (time: number): number => (time - epoch) * 2 ** randomBits;

/** When an id was generated, by the clock of the writer, in milliseconds since the epoch. */
export const createdAt = (id: number): number => epoch + Math.floor(id / 2 ** randomBits);
