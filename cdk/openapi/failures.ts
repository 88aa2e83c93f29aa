import { type ErrorName, errors, toBody } from '../../lib/errors.ts';
import type { Operation, OperationId } from '../../lib/operations/index.ts';
import { errorsOf } from '../../lib/operations/operation.ts';
import { usesTable } from '../permissions.ts';
import { headersNamed, ref } from './references.ts';
import { commonHeaders, functionHeaders } from './response-headers.ts';
import type { DocumentedResponse } from './types.ts';

/** What the gateway answers by itself for any operation. */
const gatewayErrors: ErrorName[] = ['too_many_requests', 'bad_gateway', 'timeout'];

const errorHeaders = (status: number, operation: Operation, isGateways: boolean): string[] => [
  ...commonHeaders,
  ...(status === 401 ? ['WWW-Authenticate'] : []),
  ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ...(isGateways ? [] : functionHeaders(operation)),
];

/** Names of the errors that an operation at a path can answer, the gateway's included. */
const errorNamesOf = (operation: Operation, isFiles: boolean): ErrorName[] => {
  const { id } = operation;
  const impossible = new Set<ErrorName>([
    ...(usesTable(id as OperationId) ? [] : (['try_again', 'outcome_unknown'] as const)),
    // The page itself is always there; only its files may not be.
    ...(id === 'getDocs' && !isFiles ? (['not_found'] as const) : []),
  ]);
  return [...errorsOf(operation), ...gatewayErrors].filter(name => !impossible.has(name));
};

const pascalCase = (name: string) => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Error responses that several operations share, by a name made of their codes. */
export type SharedResponses = Map<string, DocumentedResponse>;

/** The failures of an operation at one of its paths; each is written once, among the shared. */
export const failuresOf = (operation: Operation, isFiles: boolean, shared: SharedResponses): [string, object][] => {
  const names = errorNamesOf(operation, isFiles);
  const statuses = [...new Set(names.map(name => errors[name].status as number))].sort((a, b) => a - b);
  return statuses.map(status => {
    const ofStatus = names.filter(name => errors[name].status === status);
    const isGateways = status === 401 || ofStatus.every(name => gatewayErrors.includes(name));
    const codes = [...new Set(ofStatus.map(name => toBody(name).code))];
    const marks = isGateways
      ? ''
      : `${operation.deprecated ? 'OfDeprecated' : ''}${pascalCase(operation.stability ?? '')}`;
    const name = ofStatus.map(pascalCase).join('Or') + marks;
    shared.set(name, {
      description: codes.map(code => `\`${code}\``).join(' or '),
      headers: headersNamed(errorHeaders(status, operation, isGateways)),
      content: {
        'application/json': {
          schema: ref('schemas', 'Error'),
          examples: Object.fromEntries(ofStatus.map(error => [error, ref('examples', error)])),
        },
      },
    });
    return [String(status), ref('responses', name)];
  });
};
