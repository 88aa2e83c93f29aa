import { describe, expect, it } from 'vitest';
import {
  type CallError,
  classifyError,
  isInProgress,
  UnprocessedKeys,
} from '../../../../lib/model/table/classify-error.ts';

const client = (name: string, more: CallError = {}): CallError => ({
  name,
  $fault: 'client',
  $response: {},
  ...more,
});
const canceled = (...codes: string[]) =>
  client('TransactionCanceledException', { CancellationReasons: codes.map(Code => ({ Code })) });

const errors: Record<ReturnType<typeof classifyError>, Record<string, CallError>> = {
  retryable: {
    'a conflict': client('TransactionConflictException'),
    throttling: client('ThrottlingException'),
    'throttling by the maximum of the table': client('ProvisionedThroughputExceededException'),
    'throttling by the maximum of the account': client('RequestLimitExceeded'),
    'unprocessed keys': new UnprocessedKeys(1),
    'a transaction that a conflict canceled': canceled('None', 'TransactionConflict'),
    'a transaction that throttling canceled': canceled('ThrottlingError', 'None'),
    'a transaction that the maximum of the table canceled': canceled(
      'ProvisionedThroughputExceeded',
    ),
    'an aborted call that sent nothing': { name: 'AbortError', neverConnected: true },
    'a certificate for another name': {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      neverConnected: true,
    },
    'a rejected condition beside a conflict': canceled(
      'ConditionalCheckFailed',
      'TransactionConflict',
    ),
  },
  ambiguous: {
    'a transaction in progress': client('TransactionInProgressException'),
    'an error of DynamoDB': { name: 'InternalServerError', $fault: 'server', $response: {} },
    'an aborted call': { name: 'AbortError' },
    'a broken connection': { name: 'TimeoutError', code: 'ECONNRESET' },
    'a connected socket that reports a refused connection': {
      code: 'ECONNREFUSED',
      neverConnected: false,
    },
    'a connected socket that reports an unresolved name': {
      code: 'EAI_AGAIN',
      neverConnected: false,
    },
    'a broken handshake': { code: 'ERR_SSL_WRONG_VERSION_NUMBER' },
    'a certificate for another name, on a kept connection': {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    },
    'a closed socket': { code: 'ERR_SOCKET_CLOSED' },
    'an incomplete response': { code: 'ERR_STREAM_PREMATURE_CLOSE' },
    'an unreadable response': { name: 'SyntaxError', $response: {} },
  },
  fatal: {
    'a rejected condition': canceled('None', 'ConditionalCheckFailed'),
    'an invalid request': client('ValidationException'),
    'a token of another transaction': client('IdempotentParameterMismatchException'),
    'a defect with a code of Node': { name: 'TypeError', code: 'ERR_INVALID_URL' },
    'a wrong option of TLS': { name: 'TypeError', code: 'ERR_TLS_INVALID_PROTOCOL_VERSION' },
    'a defect': { name: 'TypeError' },
  },
};

describe.each(Object.entries(errors))('%s', (errorClass, examples) => {
  it.each(Object.entries(examples))('is the class of %s', (_, error) => {
    expect(classifyError(error)).toBe(errorClass);
  });
});

it('a transaction in progress is distinguished from other retryable errors', () => {
  const names = ['TransactionInProgressException', 'TransactionConflictException'];
  expect(names.map(name => isInProgress(client(name)))).toEqual([true, false]);
});
