const folded = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replace(/\s+/g, ' ').trim();

/**
 * Equal for names that differ only in letter case, accents, kinds of spaces and Unicode form. NFKD (Unicode Standard Annex #15)
 * separates the accents of Latin, Greek and Cyrillic letters, U+0300 … U+036F (block "Combining Diacritical Marks"). Other marks
 * stay: without vowel signs or voicing marks, a word of Hindi or Japanese is another word. Three mappings fold the case, because
 * `ẞ` has only a lower-case `ß`, which becomes `SS` in upper case. A name of accents alone keeps them.
 *
 * Index keys have the result. New versions of Unicode keep the normalization and case pairs of assigned characters
 * (unicode.org/policies/stability_policy.html).
 */
export const foldedName = (name: string): string => {
  const decomposed = name.normalize('NFKD');
  return folded(decomposed.replace(/[\u0300-\u036f]/g, '')) || folded(decomposed);
};
