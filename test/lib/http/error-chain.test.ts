import { expect, it } from 'vitest';
import { errorChainOf } from '../../../lib/http/error-chain.ts';

// The SDK spells the field in two ways.
it.each(['ThrottlingReasons', 'throttlingReasons'])('has the reasons and resources of %s', field => {
  const reasons = [{ reason: 'TableReadKeyRangeThroughputExceeded', resource: 'arn:aws:x' }, { reason: 'Other' }, {}];
  const [logged] = errorChainOf(Object.assign(new Error('throttled'), { [field]: reasons }));
  expect(logged).toMatchObject({
    throttlingReasons: ['TableReadKeyRangeThroughputExceeded: arn:aws:x', 'Other', ''],
  });
});

it('has every field of an error of the SDK', () => {
  const error = Object.assign(new Error('slow'), {
    name: 'TimeoutError',
    code: 'ETIMEDOUT',
    $metadata: { requestId: 'ID', httpStatusCode: 500, attempts: 1 },
  });
  expect(errorChainOf(error)).toEqual([
    { name: 'TimeoutError', message: 'slow', code: 'ETIMEDOUT', httpStatus: 500, dynamoDbRequestId: 'ID' },
  ]);
});

it('has the frames of a stack without the lines of the message, and only if asked', () => {
  const error = new Error('first line\nsecond line');
  error.stack = 'Error: first line\nsecond line\n    at one (a.js:1:2)\n    at two (b.js:3:4)';
  const fields = { name: 'Error', message: 'first line\nsecond line' };
  expect(errorChainOf(error)).toEqual([fields]);
  expect(errorChainOf(error, true)).toEqual([{ ...fields, stack: ['    at one (a.js:1:2)', '    at two (b.js:3:4)'] }]);
  delete error.stack;
  expect(errorChainOf(error, true)).toEqual([{ ...fields, stack: [] }]);
});

it('ends at a cause that is no error, whose text it does not have', () => {
  const thrown = new Error('outer', { cause: new Error('inner', { cause: 'secret' }) });
  expect(errorChainOf(thrown)).toEqual([
    { name: 'Error', message: 'outer' },
    { name: 'Error', message: 'inner' },
    { name: 'string' },
  ]);
  expect(errorChainOf(null)).toEqual([{ name: 'object' }]);
});
