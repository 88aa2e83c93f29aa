/** Of valid JSON: each string, with the colon that makes it a key, and what opens and closes an object or an array. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*")\s*(:?)|[{}[\]]/g;

/** Top-level fields that are given more than once, and those somewhere inside which a key is. */
export interface Repeated {
  readonly fields: ReadonlySet<string>;
  readonly inside: ReadonlySet<string>;
}

/**
 * What JSON.parse hides: of a key that stands twice it keeps the last, and other parsers the first (RFC 8259, section 4).
 * A repetition further in is told of the field that holds it, so that no body makes a long answer.
 * @param text valid JSON
 */
export const repeatedKeys = (text: string): Repeated => {
  const repeated = { fields: new Set<string>(), inside: new Set<string>() };
  const open: Set<string>[] = [];
  let field = '';
  for (const [mark, string = '', colon] of text.matchAll(token)) {
    if (mark === '{' || mark === '[') open.push(new Set());
    else if (mark === '}' || mark === ']') open.pop();
    else if (colon) {
      const key: string = string.includes('\\') ? JSON.parse(string) : string.slice(1, -1);
      const keys = open.at(-1)!;
      if (open.length === 1) field = key;
      if (keys.has(key)) repeated[open.length === 1 ? 'fields' : 'inside'].add(field);
      keys.add(key);
    }
  }
  return repeated;
};
