const milliseconds = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses the time of an option into milliseconds. The text is a duration before now (15m, 3h, 2d), `today`, a time
 * (2026-11-21T14:00:00Z) or a date. A date, or a time without a time zone, is local. Any other text returns NaN.
 */
export const timeOf = (text: string): number => {
  if (text === 'today') return new Date().setHours(0, 0, 0, 0);
  const [, number, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  if (number) return Date.now() - Number(number) * milliseconds[unit as keyof typeof milliseconds];
  // `Date.parse` also accepts '5', as a time in 2001. It reads a date without a time as UTC (ECMAScript, "Date Time String Format").
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return Number.NaN;
  return Date.parse(text.length === 10 ? `${text}T00:00:00` : text);
};
