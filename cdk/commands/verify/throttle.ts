import type { Expected, Question } from './check.ts';
import { judge } from './compare.ts';
import { NotThere } from './created.ts';
import type { RunStep } from './plan.ts';
import { runQuestion, type Tell } from './run-check.ts';
import type { Answer, Ask } from './send.ts';

/** Requests at once, and how often, until one is refused: beyond the burst of fixed answers (cdk/config/limits.ts). */
const requestsOfFlood = 40;
const floods = 5;

const victim: Ask = { method: 'DELETE', path: '/pets' };

/** Asks a fixed answer, which no function makes, until the throttle refuses. Undefined: it never did. */
const provoke429 = async (sendOnce: (ask: Ask) => Promise<Answer>): Promise<Answer | undefined> => {
  for (let round = 0; round < floods; round++) {
    const answers = await Promise.all(Array.from({ length: requestsOfFlood }, () => sendOnce(victim)));
    const refused = answers.find(({ status }) => status === 429);
    if (refused) return refused;
  }
  return undefined;
};

const expected429: Expected = { error: 'too_many_requests', by: 'gateway' };

/** Asked while the flooded method is refused. */
const bucketOfAny: Question = {
  name: 'the throttle of an ANY method',
  doubt: 'cdk/config/limits.ts: whether ANY has one bucket, or one for each verb',
  ask: { method: 'PUT', path: '/pets' },
  answers: [
    { means: 'one bucket for all verbs', expect: expected429 },
    { means: 'a bucket for each verb, or it has filled again', expect: { error: 'method_not_allowed', by: 'gateway' } },
  ],
};

const name = '429: its shape and headers';

export const report429 = (answer: Answer, tell: Tell): void => {
  const faults = judge(answer, expected429);
  tell({ outcome: faults.length > 0 ? 'FAILED' : 'ok', name, text: faults.join('; ') });
};

export const flood = (sendOnce: (ask: Ask) => Promise<Answer>): readonly RunStep[] => {
  let refused: Answer | undefined;
  return [
    {
      name,
      leaves: true,
      run: async tell => {
        refused = await provoke429(sendOnce);
        if (!refused) throw new Error('the throttle never refused');
        report429(refused, tell);
      },
    },
    {
      name: bucketOfAny.name,
      needsEarlier: true,
      run: async tell => {
        if (!refused) throw new NotThere('the throttle never refused');
        await runQuestion(bucketOfAny, sendOnce, tell);
      },
    },
  ];
};
