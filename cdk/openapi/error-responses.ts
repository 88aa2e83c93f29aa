import { type ErrorName, errors, headersOf, toBody } from '../../lib/errors.ts';
import type { Operation, RegisteredOperation } from '../../lib/operations/index.ts';
import { errorsOf } from '../../lib/operations/operation.ts';
import { usesTable } from '../config/permissions.ts';
import type { DocumentedResponse } from './document-types.ts';
import { headersNamed, ref } from './references.ts';
import { type DocumentedHeader, functionHeaders, headersOfAll } from './response-headers.ts';

/** What the gateway answers by itself for any operation. */
const gatewayErrors: ErrorName[] = ['too_many_requests', 'bad_gateway', 'timeout'];

const errorHeaders = (names: readonly ErrorName[], operation: Operation, isGateways: boolean): DocumentedHeader[] => [
  ...headersOfAll,
  ...new Set(names.flatMap(name => Object.keys(headersOf(name)))),
  ...(isGateways ? [] : functionHeaders(operation)),
];

/** Names of the errors that an operation can answer, the gateway's included. */
const errorNamesOf = (operation: RegisteredOperation): ErrorName[] => {
  const names = [...errorsOf(operation), ...gatewayErrors];
  return usesTable(operation.id) ? names : names.filter(name => name !== 'try_again' && name !== 'outcome_unknown');
};

const pascalCase = (name: string) => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** What an operation answers with a status when it fails: a response that several operations share, by a name made of its codes. */
interface DocumentedFailure {
  readonly status: string;
  readonly name: string;
  readonly errors: readonly ErrorName[];
  readonly response: DocumentedResponse;
}

/** The failures of an operation, a status each. */
export const failuresOf = (operation: RegisteredOperation): DocumentedFailure[] => {
  const names = errorNamesOf(operation);
  const statuses = [...new Set(names.map(name => errors[name].status as number))].sort((a, b) => a - b);
  return statuses.map(status => {
    const ofStatus = names.filter(name => errors[name].status === status);
    const isGateways = status === 401 || ofStatus.every(name => gatewayErrors.includes(name));
    const codes = [...new Set(ofStatus.map(name => toBody(name).code))];
    const marks = isGateways
      ? ''
      : `${operation.deprecated ? 'OfDeprecated' : ''}${pascalCase(operation.stability ?? '')}`;
    const name = ofStatus.map(pascalCase).join('Or') + marks;
    const response = {
      description: codes.map(code => `\`${code}\``).join(' or '),
      headers: headersNamed(errorHeaders(ofStatus, operation, isGateways)),
      content: {
        'application/json': {
          schema: ref('schemas', 'Error'),
          examples: Object.fromEntries(ofStatus.map(error => [error, ref('examples', error)])),
        },
      },
    };
    return { status: String(status), name, errors: ofStatus, response };
  });
};
