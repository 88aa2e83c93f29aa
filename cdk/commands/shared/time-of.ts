import { now } from '../../command.ts';

const milliseconds = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * In milliseconds: 15m, 3h or 2d before now, `today`, a date or a time. Without a time zone it is local. Other text is NaN, and so
 * is a date that does not exist.
 */
export const timeOf = (text: string): number => {
  if (text === 'today') return new Date(now()).setHours(0, 0, 0, 0);
  const [, number, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  if (number) return now() - Number(number) * milliseconds[unit as keyof typeof milliseconds];
  // `Date.parse` accepts '5' as a time in 2001, and reads a date alone as UTC (ECMAScript, "Date Time String Format").
  const [date, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(text) ?? [];
  // V8 reads 30 February as 2 March.
  if (!date || new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate() < Number(day))
    return Number.NaN;
  return Date.parse(text === date ? `${text}T00:00:00` : text);
};
