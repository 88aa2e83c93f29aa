import { expect, it } from 'vitest';
import { foldedName } from '../../lib/folded-name.ts';

it.each([
  ['zoe', 'Zoë', 'ZOË', 'Zoe\u0308', 'zoé', 'Ｚｏｅ'],
  ['st. bernhard', 'St. Bernhard', 'ST.\u00a0\u2003BERNHARD', ' st.\tbernhard'],
  ['strasse', 'Straße', 'STRASSE', 'STRAẞE'],
  ['οδος', 'ΟΔΟΣ', 'οδοσ', 'Οδός'],
  ['isik', 'Işık', 'ISIK', 'İŞIK'],
  ['カ\u3099', 'ガ', 'ｶﾞ'],
  ['\u0301', '\u0301', ' \u0301 '],
])('%s is the folded name of each form', (folded, ...names) => {
  expect(names.map(foldedName)).toEqual(names.map(() => folded));
});

it('vowel signs and voicing marks make other names', () => {
  const names = ['कि', 'की', 'क', 'か', 'が', 'ぱ', 'は'];
  expect(new Set(names.map(foldedName)).size).toBe(names.length);
});

it('of any character is not empty, and equal for all its forms', () => {
  for (let point = 0x20; point < 0x1_ffff; point++) {
    const text = String.fromCodePoint(point);
    const folded = foldedName(text);
    // In upper case, U+0345 becomes a letter.
    const cases = text.normalize('NFD').includes('\u0345')
      ? []
      : [text.toLowerCase(), text.toUpperCase(), folded];
    const forms = [...['NFC', 'NFD', 'NFKC', 'NFKD'].map(form => text.normalize(form)), ...cases];
    if (
      /[^\s\p{Surrogate}]/u.test(text) &&
      !(folded && forms.every(form => foldedName(form) === folded))
    )
      expect.fail(`U+${point.toString(16)} is ${folded}`);
  }
});
