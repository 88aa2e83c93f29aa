/** Before rounding to a double: true for `10`, `1.0` and `1e1`, but not for `1.5`. */
const isIntegerText = (text: string): boolean => {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = whole + fraction;
  // This is a loop, because /0+$/ restarts at every zero, and takes a second for thousands of zeros.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const zeros = digits.length - end;
  return end === 0 || Number(exponent) - fraction.length + zeros >= 0;
};

/**
 * A fraction that a double would round to an integer becomes NaN, which no schema accepts. A number beyond the range of doubles
 * becomes ±`Number.MAX_VALUE`, which schemas treat as an integer.
 * @throws {SyntaxError} when the text is not JSON
 */
export const parseJson = (text: string): unknown =>
  JSON.parse(text, (_key, value, context?: { source?: string }) => {
    if (typeof value !== 'number') return value;
    const integer = isIntegerText(context?.source ?? '');
    if (!Number.isFinite(value)) return Math.sign(value) * Number.MAX_VALUE;
    return Number.isInteger(value) && !integer ? Number.NaN : value + 0;
  });
