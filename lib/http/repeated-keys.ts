/** The tokens of valid JSON that matter: strings, with the colon that makes one a key, and brackets. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*")\s*(:?)|[{}[\]]/g;

/** Top-level fields that are given more than once, and top-level fields that contain a repeated key. */
interface Repeated {
  readonly fields: ReadonlySet<string>;
  readonly inside: ReadonlySet<string>;
}

/**
 * Finds repeated keys. JSON.parse silently keeps the last value, other parsers the first (RFC 8259, section 4). A key that is
 * repeated deeper inside is reported by its top-level field, so that the message stays short.
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
