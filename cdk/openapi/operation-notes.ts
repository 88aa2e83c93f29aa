import type { RegisteredOperation } from '../../lib/operations/index.ts';
import { lifeCycleOf, type Settings } from '../config/settings.ts';
import { descriptionOf, type OperationDescription } from './descriptions.ts';

const stabilityNotes = {
  beta: '**Beta**: may change within 1.x; the changelog announces changes.',
  experimental: '**Experimental**: may change or end within 1.x.',
};

/** The label at the end of the summary, for lists of operations and generated code. */
const labelOf = (operation: RegisteredOperation, settings: Settings): string => {
  const lifeCycle = lifeCycleOf(operation, settings);
  if (lifeCycle) return ` (deprecated, sunset ${lifeCycle.sunsetOn})`;
  return operation.stability ? ` (${operation.stability})` : '';
};

const deprecationNote = (operation: RegisteredOperation, settings: Settings): string => {
  const lifeCycle = lifeCycleOf(operation, settings);
  if (!lifeCycle || !operation.deprecated) return '';
  const { deprecatedOn, sunsetOn } = lifeCycle;
  const successor = operation.deprecated.successor;
  return `**Deprecated** since ${deprecatedOn}, **sunset ${sunsetOn}**: use \`GET ${successor}\`, which returns an array with the pet, or an empty array. The response headers have both dates.`;
};

const rateLimitNote = ({ id }: RegisteredOperation, settings: Settings): string => {
  const { rate, burst } = settings.limits[id];
  const requests =
    rate < 1 ? `1 request every ${1 / rate} seconds` : `${rate} ${rate === 1 ? 'request' : 'requests'} per second`;
  return `*Rate limit:* ${requests}, shared by all callers, with a burst of ${burst}. Requests above it return 429.`;
};

/** Summary and description with the notes on deprecation, stability and rate limit. */
export const summaryAndDescriptionOf = (
  operation: RegisteredOperation,
  settings: Settings,
): Pick<OperationDescription, 'summary' | 'description'> => {
  const { summary, description } = descriptionOf(operation);
  const paragraphs = [
    deprecationNote(operation, settings),
    operation.stability ? stabilityNotes[operation.stability] : '',
    description,
    rateLimitNote(operation, settings),
  ];
  return { summary: summary + labelOf(operation, settings), description: paragraphs.filter(Boolean).join('\n\n') };
};
