import { type ErrorName, errors, headersOf, toBody } from '../../lib/errors.ts';
import type { RegisteredOperation } from '../../lib/operations/index.ts';
import { errorsOf } from '../../lib/operations/operation.ts';
import { usesTable } from '../config/permissions.ts';
import { headersNamed, ref } from './references.ts';
import { functionHeaders, headersOfAll } from './response-headers.ts';

/** Errors that the gateway itself returns for every operation. */
const gatewayErrors: ErrorName[] = ['too_many_requests', 'bad_gateway', 'timeout'];

/** The errors that an operation can return, including those of the gateway. */
const errorNamesOf = (operation: RegisteredOperation): ErrorName[] => {
  const names = [...errorsOf(operation), ...gatewayErrors];
  return usesTable(operation.id) ? names : names.filter(name => name !== 'try_again');
};

const pascalCase = (name: string) => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The error responses of an operation, one for each status. Operations share them: the component name consists of the
 * error names.
 */
export const errorResponsesOf = (operation: RegisteredOperation) => {
  const names = errorNamesOf(operation);
  const statuses = [...new Set(names.map(name => errors[name].status as number))].sort((a, b) => a - b);
  return statuses.map(status => {
    const ofStatus = names.filter(name => errors[name].status === status);
    const isFromGateway = status === 401 || ofStatus.every(name => gatewayErrors.includes(name));
    const codes = new Set(ofStatus.map(name => `\`${toBody(name).code}\``));
    const { deprecated, stability = '' } = operation;
    const suffix = isFromGateway ? '' : `${deprecated ? 'OfDeprecated' : ''}${pascalCase(stability)}`;
    const ownHeaders = new Set(ofStatus.flatMap(name => Object.keys(headersOf(name))));
    const headers = [...headersOfAll, ...ownHeaders, ...(isFromGateway ? [] : functionHeaders(operation))];
    const examples = Object.fromEntries(ofStatus.map(error => [error, ref('examples', error)]));
    const response = {
      description: [...codes].join(' or '),
      headers: headersNamed(headers),
      content: { 'application/json': { schema: ref('schemas', 'Error'), examples } },
    };
    return { status: String(status), name: ofStatus.map(pascalCase).join('Or') + suffix, errors: ofStatus, response };
  });
};
