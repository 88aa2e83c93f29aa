import type { RegisteredOperation } from '../../lib/operations/index.ts';
import type { Settings } from '../config/settings.ts';
import { descriptions } from './descriptions.ts';

const stabilityNotes = {
  beta: '**Beta**: may change within 1.x; the changelog announces changes.',
  experimental: '**Experimental**: may change or end within 1.x.',
};

const rateLimitNote = ({ id }: RegisteredOperation, settings: Settings): string => {
  const { rate, burst } = settings.limits[id];
  const requests =
    rate < 1 ? `1 request every ${1 / rate} seconds` : `${rate} ${rate === 1 ? 'request' : 'requests'} per second`;
  return `*Rate limit:* ${requests}, shared by all callers, with a burst of ${burst}. Requests above it return 429.`;
};

/**
 * Summary and description with the notes on deprecation, stability and rate limit. The summary ends with a label, for lists of
 * operations and generated code.
 */
export const summaryAndDescriptionOf = (operation: RegisteredOperation, settings: Settings) => {
  const [summary, description] = descriptions[operation.id];
  const { deprecated, stability } = operation;
  const dates = settings.lifeCycle[operation.id];
  const label = dates ? `deprecated, sunset ${dates.sunsetOn}` : stability;
  const paragraphs = [
    dates &&
      `**Deprecated** since ${dates.deprecatedOn}, **sunset ${dates.sunsetOn}**: use \`GET ${deprecated?.successor}\`, which returns an array with the pet, or an empty array. The response headers have both dates.`,
    stability && stabilityNotes[stability],
    description,
    rateLimitNote(operation, settings),
  ];
  return { summary: label ? `${summary} (${label})` : summary, description: paragraphs.filter(Boolean).join('\n\n') };
};
