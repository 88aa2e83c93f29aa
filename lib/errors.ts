import { keyLifetimeHours } from './key-lifetime.ts';
import { maxBodyBytes } from './max-body-bytes.ts';

interface ErrorEntry {
  readonly status: number;
  readonly code?: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Seconds (RFC 9110, section 10.2.3). */
const wait = { 'Retry-After': '1' };

/** Every error of the contract. `code` is present if it differs from the name. */
export const errors = {
  invalid_request: {
    status: 400,
    message: 'The request does not match the schema of the operation.',
  },
  invalid_cursor: {
    status: 400,
    message:
      'query.cursor: expected a cursor of this list with the same filters; start again without a cursor',
  },
  unauthenticated: {
    status: 401,
    message: 'A valid access token is required: Authorization: Bearer <token>.',
    // A challenge needs a parameter (RFC 6750, section 3).
    headers: { 'WWW-Authenticate': 'Bearer realm="petstore"' },
  },
  forbidden: {
    status: 403,
    message:
      'The access token does not have the scope that this operation requires. Use a client with this scope.',
  },
  not_found: { status: 404, message: 'This path does not exist.' },
  pet_not_found: { status: 404, message: 'No pet has this id.' },
  category_not_found: { status: 404, message: 'No category has this id.' },
  order_not_found: { status: 404, message: 'No order that you can access has this id.' },
  method_not_allowed: {
    status: 405,
    message: 'This path does not support this method; see the Allow header.',
  },
  insufficient_stock: {
    status: 409,
    message:
      'The available quantity is smaller than the ordered quantity. Order fewer units, or retry later.',
  },
  pet_not_available: {
    status: 409,
    message:
      'The pet is on hold, or all its units are ordered or sold. Choose another pet, or retry when its status is available.',
  },
  out_of_stock: {
    status: 409,
    message:
      'The available quantity of the pet is 0; set its inventory before you make it available.',
  },
  pet_has_open_orders: {
    status: 409,
    message: 'The pet has open orders; complete or cancel them first.',
  },
  category_in_use: {
    status: 409,
    message: 'The category still has pets; move or delete them first.',
  },
  order_complete: { status: 409, message: 'The order is complete and cannot change.' },
  gone: {
    status: 410,
    message:
      'This operation was shut down after its sunset date; the Link header has its successor.',
  },
  precondition_failed: {
    status: 412,
    message:
      'The current ETag does not satisfy If-Match or If-None-Match, and nothing was written. Read the resource again. Weak tags (W/) never satisfy If-Match.',
  },
  payload_too_large: { status: 413, message: `The body is larger than ${maxBodyBytes} bytes.` },
  unsupported_media_type: {
    status: 415,
    message:
      'The body must be JSON in UTF-8; send Content-Type: application/json (for a PATCH also application/merge-patch+json).',
  },
  category_not_found_in_body: {
    status: 422,
    code: 'category_not_found',
    message: 'body.categoryId: no category has this id',
  },
  pet_not_found_in_body: {
    status: 422,
    code: 'pet_not_found',
    message: 'body.petId: no pet has this id',
  },
  idempotency_key_reused: {
    status: 422,
    message: `This Idempotency-Key was used for a request with another path, query, body or precondition within the last ${keyLifetimeHours} hours. Use a new key.`,
  },
  too_many_requests: {
    status: 429,
    message: 'Too many requests; wait for the seconds in Retry-After, then retry.',
    headers: wait,
  },
  internal_error: {
    status: 500,
    message:
      'An internal error occurred. Retry once; if it occurs again, report the X-Request-Id of the response.',
  },
  bad_gateway: {
    status: 502,
    message:
      'The service returned no valid response; a write may or may not have happened. Retry with the same Idempotency-Key.',
  },
  try_again: {
    status: 503,
    message:
      'The service is busy and nothing was written. Wait for the seconds in Retry-After, then retry the same request.',
    headers: wait,
  },
  outcome_unknown: {
    status: 503,
    message:
      'The service did not respond in time; the write may or may not have happened. Wait for the seconds in Retry-After, then retry with the same Idempotency-Key.',
    headers: wait,
  },
  timeout: {
    status: 504,
    message:
      'The service took too long; a write may or may not have happened. Retry with the same Idempotency-Key.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorName = keyof typeof errors;

/** The message can be more specific than in `errors`. */
export class ApiError extends Error {
  override readonly name: ErrorName;

  constructor(name: ErrorName, message: string = errors[name].message, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
  }
}

/** Sent by a function or by the gateway. */
export const headersOf = (name: ErrorName): Readonly<Record<string, string>> =>
  (errors[name] as ErrorEntry).headers ?? {};

/** The Error object of the contract. */
export const toBody = (name: ErrorName, message: string = errors[name].message) => {
  const entry: ErrorEntry = errors[name];
  return { code: entry.code ?? name, message, status: entry.status };
};
