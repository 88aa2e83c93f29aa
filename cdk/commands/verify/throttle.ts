import type { Expected, OpenQuestion } from './check.ts';
import { compareResponse } from './compare.ts';
import { SkippedError } from './created.ts';
import type { RunStep } from './plan.ts';
import { type Observed, type OnResult, runOpenQuestion } from './run-check.ts';
import type { ApiRequest, ApiResponse } from './send.ts';

/** Concurrent requests, and rounds of them, until one is throttled: more than the burst of mock responses (cdk/config/limits.ts). */
const requestsOfFlood = 40;
const floods = 5;

const floodedRequest: ApiRequest = { method: 'DELETE', path: '/pets' };

/** Sends a request without a function until API Gateway throttles it. Undefined: it never did. */
const provoke429 = async (
  sendOnce: (request: ApiRequest) => Promise<ApiResponse>,
): Promise<ApiResponse | undefined> => {
  for (let round = 0; round < floods; round++) {
    const responses = await Promise.all(Array.from({ length: requestsOfFlood }, () => sendOnce(floodedRequest)));
    const throttled = responses.find(({ status }) => status === 429);
    if (throttled) return throttled;
  }
  return undefined;
};

const expected429: Expected = { error: 'too_many_requests', by: 'gateway' };

/** Sent while the flooded method is throttled. */
const bucketOfAny: OpenQuestion = {
  name: 'the throttle of an ANY method',
  doubt: 'cdk/config/limits.ts: whether ANY has one bucket, or one for each verb',
  request: { method: 'PUT', path: '/pets' },
  responses: [
    { means: 'one bucket for all verbs', expect: expected429 },
    {
      means: 'a bucket for each verb, or the bucket has filled again',
      expect: { error: 'method_not_allowed', by: 'gateway' },
    },
  ],
};

const name = '429: its shape and headers';

export const report429 = (response: ApiResponse, onResult: OnResult): void => {
  const differences = compareResponse(response, expected429);
  onResult({ outcome: differences.length > 0 ? 'FAILED' : 'ok', name, text: differences.join('; ') });
};

export const flood = (
  sendOnce: (request: ApiRequest) => Promise<ApiResponse>,
  observed: Observed,
): readonly RunStep[] => {
  let throttled: ApiResponse | undefined;
  return [
    {
      name,
      leaves: true,
      run: async onResult => {
        throttled = await provoke429(sendOnce);
        if (!throttled) throw new Error('API Gateway never throttled the method');
        report429(throttled, onResult);
      },
    },
    {
      name: bucketOfAny.name,
      needsEarlier: true,
      run: async onResult => {
        if (!throttled) throw new SkippedError('API Gateway never throttled the method');
        await runOpenQuestion(bucketOfAny, sendOnce, onResult, observed);
      },
    },
  ];
};
