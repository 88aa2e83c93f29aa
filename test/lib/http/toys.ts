import * as z from 'zod/mini';
import type { GatewayEvent } from '../../../lib/http/gateway.ts';
import { handle } from '../../../lib/http/handle.ts';
import type { HandlerResult } from '../../../lib/http/handler-result.ts';
import type { Input } from '../../../lib/http/input.ts';
import { type Operation, operation } from '../../../lib/operations/operation.ts';

/** Operations for tests of the middleware chain. */
export const getToy = operation({
  id: 'getToy',
  method: 'GET',
  path: '/toys/{toyId}',
  access: 'public',
  request: {},
  responses: { 200: z.object({ name: z.string() }) },
  errors: ['pet_not_found', 'pet_not_found_in_body'],
});
export const listToys = operation({
  ...getToy,
  id: 'listToys',
  path: '/toys',
  responses: { 200: z.array(z.any()) },
});
export const renameToy = operation({
  ...getToy,
  id: 'renameToy',
  method: 'PUT',
  request: {
    body: z.strictObject({
      name: z.string('expected a string'),
      id: z.optional(z.int('expected an integer')),
    }),
  },
});

/** The verified claims of a token of the client `shop`, with changes. */
export const withClaims = (changes: object = {}) => {
  const claims = {
    client_id: 'shop',
    sub: 'somebody',
    token_use: 'access',
    scope: 'petstore/orders',
    ...changes,
  };
  return { requestContext: { authorizer: { claims } } };
};

/** As API Gateway passes it: absent maps are null. */
export const eventOf = ({
  requestContext,
  ...fields
}: {
  requestContext?: object;
} = {}): GatewayEvent => {
  const event = {
    resource: '/toys/{toyId}',
    pathParameters: null,
    multiValueHeaders: null,
    multiValueQueryStringParameters: null,
    requestContext: {
      requestId: 'r',
      domainName: 'api.example.com',
      path: '/prod/toys/1',
      ...requestContext,
    },
  };
  return Object.assign(event, fields) as never;
};

export const call = async <O extends Operation>(
  operation: O,
  event: object,
  run: (input: Input<O>) => Promise<HandlerResult<O>>,
  timeLeft = 5_000,
) => {
  const context = { getRemainingTimeInMillis: () => timeLeft } as never;
  const { statusCode, headers = {}, body } = await handle(operation)(run)(eventOf(event), context);
  return { status: statusCode, headers, body: body.startsWith('{') ? JSON.parse(body) : body };
};
