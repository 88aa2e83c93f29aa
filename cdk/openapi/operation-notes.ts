import type { RegisteredOperation } from '../../lib/operations/index.ts';
import { lifeCycleOf, settingsOf } from '../config/settings.ts';
import { type Prose, wordsOf } from './descriptions.ts';

/** The document describes production; a stage of one's own may have other dates and limits. */
const settings = settingsOf('prod');

const stabilities = {
  beta: '**Beta**: may still change within 1.x; a change is announced in the changelog.',
  experimental: '**Experimental**: may change or end within 1.x.',
};

/** What stands behind the summary, where lists of operations and generated code show it. */
const mark = (operation: RegisteredOperation): string => {
  const lifeCycle = lifeCycleOf(operation, settings);
  if (lifeCycle) return ` (deprecated, sunset ${lifeCycle.sunsetOn})`;
  return operation.stability ? ` (${operation.stability})` : '';
};

const lifeCycleSentence = (operation: RegisteredOperation): string => {
  const lifeCycle = lifeCycleOf(operation, settings);
  if (!lifeCycle || !operation.deprecated) return '';
  const { deprecatedOn, sunsetOn } = lifeCycle;
  const successor = operation.deprecated.successor;
  return `**Deprecated** since ${deprecatedOn}, **sunset ${sunsetOn}**: use \`GET ${successor}\`. Every answer says so in its headers.`;
};

const limitSentence = ({ id }: RegisteredOperation): string => {
  const { rate, burst } = settings.limits[id];
  const often =
    rate < 1 ? `One request in ${1 / rate} seconds` : `${rate} ${rate === 1 ? 'request' : 'requests'} a second`;
  return `*Limit:* ${often} for all callers together, ${burst} at once; beyond that 429.`;
};

/** The words of an operation, with what its marks and its limit add to them. */
export const markedWordsOf = (operation: RegisteredOperation): Pick<Prose, 'summary' | 'description'> => {
  const { summary, description } = wordsOf(operation);
  const paragraphs = [
    lifeCycleSentence(operation),
    operation.stability ? stabilities[operation.stability] : '',
    description,
    limitSentence(operation),
  ];
  return { summary: summary + mark(operation), description: paragraphs.filter(Boolean).join('\n\n') };
};
