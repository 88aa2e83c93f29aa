const epoch = Date.UTC(2025, 0, 1);
const randomBits = 12;

/**
 * A new id: 41 bits of milliseconds since 2025, then 12 random bits. Ids need no counter and sort by creation time. Two writers
 * can get the same id. So write an id with `attribute_not_exists`, and retry with another id.
 */
export const newId = (): number => (Date.now() - epoch) * 2 ** randomBits + Math.floor(Math.random() * 2 ** randomBits);

/** The least id of a time (milliseconds since 1970). The ids end in 2094: for a later time, the result is above all ids. */
export const firstIdAt = (time: number): number => (time - epoch) * 2 ** randomBits;

/** The time at which an id was generated, by the clock of the writer, in milliseconds since the epoch. */
export const createdAt = (id: number): number => epoch + Math.floor(id / 2 ** randomBits);
