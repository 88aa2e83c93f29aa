/** Such as `1 order`, `2 orders` and `0 categories`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
