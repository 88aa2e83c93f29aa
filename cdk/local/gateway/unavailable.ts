import { errors, headersOf, toBody } from '../../../lib/errors.ts';
import type { GatewayEvent } from '../../../lib/http/gateway.ts';
import { respond } from '../../../lib/http/respond.ts';
import { allOperations } from '../../../lib/operations/index.ts';
import { usesTable, writes } from '../../config/permissions.ts';

type FunctionOf = (id: string) => { readonly invoke: (event: unknown) => Promise<unknown> };

/**
 * Makes a share of the requests that use the table fail with 503, to rehearse retries: reads with `try_again`, half of the writes
 * with `try_again`, half with `outcome_unknown`. Half of the latter call the function first, and return its error if it fails.
 * (An error of DynamoDB would not do, because the function retries it.)
 * @param share from 0 to 1
 */
export const withUnavailability =
  (functionOf: FunctionOf, share: number, random = Math.random): FunctionOf =>
  id => ({
    invoke: async input => {
      const event = input as GatewayEvent & {
        readonly resource: string;
        readonly httpMethod: string;
      };
      const { resource, httpMethod } = event;
      const operation = allOperations.find(
        ({ path, method }) => path === resource && method === httpMethod,
      );
      if (!operation || !usesTable(operation.id) || random() >= share)
        return functionOf(id).invoke(input);
      const fail = (name: 'try_again' | 'outcome_unknown') =>
        respond(operation, event, {
          status: errors[name].status,
          body: toBody(name),
          headers: headersOf(name),
        });
      if (!writes(operation.id) || random() < 0.5) return fail('try_again');
      const result = random() < 0.5 ? await functionOf(id).invoke(input) : undefined;
      // If the function returned an error, the outcome is known.
      const { statusCode = 0 } = (result ?? {}) as { statusCode?: number };
      return statusCode >= 400 ? result : fail('outcome_unknown');
    },
  });
