import type { Expected, Question } from './check.ts';
import type { Answer, Ask } from './exchange.ts';

/** Requests at once, and how often, until one is refused: beyond the burst of fixed answers (cdk/config/limits.ts). */
const flood = 40;
const floods = 5;

const victim: Ask = { method: 'DELETE', path: '/pets' };

/** Asks a fixed answer, which no function makes, until the throttle refuses. Undefined: it never did. */
export const provoke429 = async (sendOnce: (ask: Ask) => Promise<Answer>): Promise<Answer | undefined> => {
  for (let round = 0; round < floods; round++) {
    const answers = await Promise.all(Array.from({ length: flood }, () => sendOnce(victim)));
    const refused = answers.find(({ status }) => status === 429);
    if (refused) return refused;
  }
  return undefined;
};

export const expected429: Expected = { error: 'too_many_requests', by: 'gateway' };

/** Asked while the flooded method is refused. */
export const bucketOfAny: Question = {
  name: 'the throttle of an ANY method',
  doubt: 'cdk/config/limits.ts: whether ANY has one bucket, or one for each verb',
  ask: { method: 'PUT', path: '/pets' },
  answers: [
    { means: 'one bucket for all verbs', expect: expected429 },
    { means: 'a bucket for each verb, or it has filled again', expect: { error: 'method_not_allowed', by: 'gateway' } },
  ],
};
