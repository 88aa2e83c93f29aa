import { expect, it } from 'vitest';
import {
  type CallError,
  classifyError,
  UnprocessedKeys,
} from '../../../../lib/model/table/classify-error.ts';

const named = (name: string): CallError => ({ name, $fault: 'client', $response: {} });
const canceled = (...codes: string[]): CallError => ({
  ...named('TransactionCanceledException'),
  CancellationReasons: codes.map(Code => ({ Code })),
});
const coded = (code: string): CallError => ({ code, neverConnected: false });

// test/bundle/wire.test.ts has all other errors of DynamoDB, and test/lib/aws/request-handler.test.ts those of connections.
const errors: Record<ReturnType<typeof classifyError>, readonly CallError[]> = {
  retryable: [
    named('TransactionConflictException'),
    named('ProvisionedThroughputExceededException'),
    named('RequestLimitExceeded'),
    new UnprocessedKeys(1),
    canceled('ConditionalCheckFailed', 'TransactionConflict'),
    canceled('ThrottlingError', 'None'),
    canceled('ProvisionedThroughputExceeded'),
  ],
  ambiguous: [
    coded('ECONNREFUSED'),
    coded('ERR_SSL_WRONG_VERSION_NUMBER'),
    coded('ERR_TLS_CERT_ALTNAME_INVALID'),
    coded('ERR_SOCKET_CLOSED'),
    coded('ERR_STREAM_PREMATURE_CLOSE'),
  ],
  fatal: [
    named('IdempotentParameterMismatchException'),
    coded('ERR_INVALID_URL'),
    coded('ERR_TLS_INVALID_PROTOCOL_VERSION'),
    { name: 'TypeError' },
  ],
};

const rows = Object.entries(errors).flatMap(([errorClass, list]) =>
  list.map(error => [errorClass, error] as const),
);
it.each(rows)('%s is the class of %j', (errorClass, error) => {
  expect(classifyError(error)).toBe(errorClass);
});
