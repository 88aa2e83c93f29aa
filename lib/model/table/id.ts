const epoch = Date.UTC(2025, 0, 1);
const randomBits = 12;

/**
 * 41 bits of milliseconds since 2025, then 12 random bits, so ids need no counter and sort by creation time. Two writers can get
 * the same id, so write it with `attribute_not_exists`, and retry with another.
 */
export const newId = (): number =>
  (Date.now() - epoch) * 2 ** randomBits + Math.floor(Math.random() * 2 ** randomBits);

/** The least id of a time (milliseconds since 1970). Ids end in 2094: a later time is above all ids. */
export const firstIdAt = (time: number): number => (time - epoch) * 2 ** randomBits;

/** By the clock of the writer, in milliseconds since the epoch. */
export const createdAt = (id: number): number => epoch + Math.floor(id / 2 ** randomBits);
