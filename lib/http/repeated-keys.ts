/** Brackets, and strings with a colon after them if they are keys. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*")\s*(:?)|[{}[\]]/g;

/** Top-level fields that are given more than once, and top-level fields that contain a repeated key. */
interface Repeated {
  readonly fields: ReadonlySet<string>;
  readonly inside: ReadonlySet<string>;
}

/**
 * JSON.parse silently keeps the last value of a repeated key; other parsers fail or keep all values (RFC 8259, section 4). For a
 * repeated key deeper inside, only the top-level field is reported, so that the message stays short.
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
