import { ApiError, headersOf, toBody } from '../errors.ts';
import { errorsOf, type Operation } from '../operations/operation.ts';
import type { Middleware } from './gateway.ts';
import { acceptPatch } from './read-body.ts';
import { respond } from './respond.ts';

/** An error that the operation does not declare is a defect: a 500 without its message. */
export const mapErrors = (operation: Operation): Middleware => ({
  onError: request => {
    const { error, event, internal } = request;
    const declared = error instanceof ApiError && errorsOf(operation).includes(error.name);
    const name = declared ? error.name : 'internal_error';
    const message = declared && name !== 'internal_error' ? error.message : undefined;
    const body = toBody(name, message);
    internal.errorCode = body.code;
    const headers = {
      ...headersOf(name),
      ...(name === 'unsupported_media_type' && operation.method === 'PATCH' && acceptPatch),
    };
    request.response = respond(operation, event, { status: body.status, body, headers });
  },
});
