import { describe, expect, it } from 'vitest';
import { type Failure, isInProgress, judge, UnprocessedKeys } from '../../../../lib/model/table/classify-error.ts';

const client = (name: string, more: Failure = {}): Failure => ({ name, $fault: 'client', $response: {}, ...more });
const cancelled = (...codes: string[]) =>
  client('TransactionCanceledException', { CancellationReasons: codes.map(Code => ({ Code })) });

const verdicts: Record<ReturnType<typeof judge>, Record<string, Failure>> = {
  refused: {
    'a conflict': client('TransactionConflictException'),
    throttling: client('ThrottlingException'),
    'throttling by the table’s maximum': client('ProvisionedThroughputExceededException'),
    'throttling by the account’s maximum': client('RequestLimitExceeded'),
    'keys that were left out': new UnprocessedKeys(1),
    'a transaction cancelled for a conflict': cancelled('None', 'TransactionConflict'),
    'a transaction cancelled for throttling': cancelled('ThrottlingError', 'None'),
    'a transaction cancelled for the table’s maximum': cancelled('ProvisionedThroughputExceeded'),
    'a condition beside a conflict': cancelled('ConditionalCheckFailed', 'TransactionConflict'),
  },
  unknown: {
    'a transaction in progress': client('TransactionInProgressException'),
    'an error of DynamoDB’s': { name: 'InternalServerError', $fault: 'server', $response: {} },
    'a call that was given up': { name: 'AbortError' },
    'a connection that broke': { name: 'TimeoutError', code: 'ECONNRESET' },
    'a connection refused': { code: 'ECONNREFUSED' },
    'a name that is not resolved': { code: 'EAI_AGAIN' },
    'a broken handshake': { code: 'ERR_SSL_WRONG_VERSION_NUMBER' },
    'a closed socket': { code: 'ERR_SOCKET_CLOSED' },
    'an answer cut short': { code: 'ERR_STREAM_PREMATURE_CLOSE' },
    'an answer that cannot be read': { name: 'SyntaxError', $response: {} },
  },
  final: {
    'a condition': cancelled('None', 'ConditionalCheckFailed'),
    'a request that is wrong': client('ValidationException'),
    'a token that means something else': client('IdempotentParameterMismatchException'),
    'a defect with a code of Node’s': { name: 'TypeError', code: 'ERR_INVALID_URL' },
    'a defect': { name: 'TypeError' },
  },
};

describe.each(Object.entries(verdicts))('%s', (verdict, failures) => {
  it.each(Object.entries(failures))('is said of %s', (_, failure) => {
    expect(judge(failure)).toBe(verdict);
  });
});

describe('a transaction in progress', () => {
  it('is that alone, not any refusal', () => {
    expect(
      [client('TransactionInProgressException'), client('TransactionConflictException')].map(isInProgress),
    ).toEqual([true, false]);
  });
});
