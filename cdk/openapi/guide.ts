import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a retry with the same key is safe. The API stores no errors, so the key of a rejected request remains free. */
const retryOf = (code: string, status: string): string => {
  if (code === 'idempotency_key_reused') return 'no: the key has another request';
  // The caller does not know whether the request was executed.
  if (/^5/.test(status) && code !== 'try_again') return 'yes, and only with it: a write may have happened';
  return /401|409|429|503/.test(status) ? 'yes: nothing was written' : 'yes, once corrected: nothing was written';
};

/** The guide. Each error in its table gets its cause, from its message, and whether a retry is safe. */
export const guideText = async (): Promise<string> => {
  // The URL hides the import from `npm run dev`, which restarts if an imported file changes.
  const url = new URL('../../lib/errors.ts', import.meta.url).href;
  const { errors }: typeof import('../../lib/errors.ts') = await import(url);
  // A test makes sure that the rows have the order of the errors.
  const messages = Object.values(errors).map(({ message }) => message.replaceAll('<', '&lt;'));
  return readFileSync(join(import.meta.dirname, 'guide.md'), 'utf8')
    .replace(/^(\| HTTP \| Code)(.*\n)(\|---\|---)/m, '$1 | Cause | Retry with the same key$2$3|---|---')
    .replaceAll(/^\| (\d{3}) \| `(\w+)` \|/gm, (row, status, code) => {
      return `${row} ${messages.shift()?.split(/[.;](?: |$)/)[0]} | ${retryOf(code, status)} |`;
    });
};
