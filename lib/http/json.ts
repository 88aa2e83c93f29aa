/** Whether a JSON number's text is an integer exactly, before any rounding to a double: `10`, `1.0` and `1e1` are, `1.5` is not. */
const isIntegerText = (text: string): boolean => {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = whole + fraction;
  // By a loop: the search for /0+$/ begins anew at every zero, which among thousands of them takes a second.
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  const zeros = digits.length - end;
  return end === 0 || Number(exponent) - fraction.length + zeros >= 0;
};

/**
 * Parses JSON so that no number turns into another by rounding: one that is not an integer never arrives as one (it
 * becomes NaN, which no schema takes), and an integer beyond the doubles stays an integer.
 * @throws {SyntaxError} when the text is not JSON
 */
export const parseJson = (text: string): unknown =>
  JSON.parse(text, (_key, value, context?: { source?: string }) => {
    if (typeof value !== 'number') return value;
    const integer = isIntegerText(context?.source ?? '');
    if (!Number.isFinite(value)) return Math.sign(value) * Number.MAX_VALUE;
    return Number.isInteger(value) && !integer ? Number.NaN : value + 0;
  });
