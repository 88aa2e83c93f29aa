export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const number = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

export const dollars = (value: number): string =>
  value.toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: 2 });
