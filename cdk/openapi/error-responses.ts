import { type ErrorName, errors, headersOf, toBody } from '../../lib/errors.ts';
import type { Operation, RegisteredOperation } from '../../lib/operations/index.ts';
import { errorsOf } from '../../lib/operations/operation.ts';
import { usesTable } from '../config/permissions.ts';
import type { DocumentedResponse } from './document-types.ts';
import { headersNamed, ref } from './references.ts';
import { type DocumentedHeader, functionHeaders, headersOfAll } from './response-headers.ts';

/** Errors that the gateway itself returns for every operation. */
const gatewayErrors: ErrorName[] = ['too_many_requests', 'bad_gateway', 'timeout'];

const errorHeaders = (
  names: readonly ErrorName[],
  operation: Operation,
  isFromGateway: boolean,
): DocumentedHeader[] => [
  ...headersOfAll,
  ...new Set(names.flatMap(name => Object.keys(headersOf(name)))),
  ...(isFromGateway ? [] : functionHeaders(operation)),
];

/** The errors that an operation can return, including those of the gateway. */
const errorNamesOf = (operation: RegisteredOperation): ErrorName[] => {
  const names = [...errorsOf(operation), ...gatewayErrors];
  return usesTable(operation.id) ? names : names.filter(name => name !== 'try_again');
};

const pascalCase = (name: string) => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The error response for one status. Operations share it; its component name consists of the error names. */
interface ErrorResponse {
  readonly status: string;
  readonly name: string;
  readonly errors: readonly ErrorName[];
  readonly response: DocumentedResponse;
}

/** The error responses of an operation, one for each status. */
export const errorResponsesOf = (operation: RegisteredOperation): ErrorResponse[] => {
  const names = errorNamesOf(operation);
  const statuses = [...new Set(names.map(name => errors[name].status as number))].sort((a, b) => a - b);
  return statuses.map(status => {
    const ofStatus = names.filter(name => errors[name].status === status);
    const isFromGateway = status === 401 || ofStatus.every(name => gatewayErrors.includes(name));
    const codes = [...new Set(ofStatus.map(name => toBody(name).code))];
    const suffix = isFromGateway
      ? ''
      : `${operation.deprecated ? 'OfDeprecated' : ''}${pascalCase(operation.stability ?? '')}`;
    const name = ofStatus.map(pascalCase).join('Or') + suffix;
    const response = {
      description: codes.map(code => `\`${code}\``).join(' or '),
      headers: headersNamed(errorHeaders(ofStatus, operation, isFromGateway)),
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
