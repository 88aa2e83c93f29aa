import { errors, headersOf, toBody } from '../../../lib/errors.ts';
import type { GatewayEvent } from '../../../lib/http/gateway.ts';
import { respond } from '../../../lib/http/respond.ts';
import { allOperations } from '../../../lib/operations/index.ts';
import { usesTable, writes } from '../../config/permissions.ts';

type FunctionOf = (id: string) => { readonly invoke: (event: unknown) => Promise<unknown> };

/**
 * Functions of which a share of the requests fails with 503, to rehearse retries. Reads return `try_again`. Half of the writes
 * return `try_again`, too; the others return `outcome_unknown`, and half of those were written. The requests fail before the
 * functions, because the functions retry what fails behind them.
 * @param share from 0 to 1
 * @param random from 0 to 1; tests replace it
 */
export const withUnavailability =
  (functionOf: FunctionOf, share: number, random = Math.random): FunctionOf =>
  id => ({
    invoke: async input => {
      const event = input as GatewayEvent & { readonly resource: string; readonly httpMethod: string };
      const { resource, httpMethod } = event;
      const operation = allOperations.find(({ path, method }) => path === resource && method === httpMethod);
      if (!operation || !usesTable(operation.id) || random() >= share) return functionOf(id).invoke(input);
      const fail = (name: 'try_again' | 'outcome_unknown') =>
        respond(operation, event, errors[name].status, toBody(name), headersOf(name));
      if (!writes(operation.id) || random() < 0.5) return fail('try_again');
      const result = random() < 0.5 ? await functionOf(id).invoke(input) : undefined;
      // An error is known.
      const { statusCode = 0 } = (result ?? {}) as { statusCode?: number };
      return statusCode >= 400 ? result : fail('outcome_unknown');
    },
  });
