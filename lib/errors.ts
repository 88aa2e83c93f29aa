import { maxBodyBytes } from './max-body-bytes.ts';

interface ErrorEntry {
  readonly status: number;
  readonly code?: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Seconds that a caller should wait after 429 and 503. RFC 9110, section 10.2.3. */
const wait = { 'Retry-After': '1' };

/** Every error that a caller can see: name → status, message, the code where it differs from the name, and the headers it carries. */
export const errors = {
  invalid_request: { status: 400, message: 'The request does not match the contract.' },
  invalid_cursor: {
    status: 400,
    message: 'query.cursor: not a cursor of this list with these filters; start again without it',
  },
  unauthenticated: {
    status: 401,
    message: 'A valid access token is required: Authorization: Bearer <token>.',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  forbidden: { status: 403, message: 'The access token does not have the scope that this operation requires.' },
  not_found: { status: 404, message: 'There is nothing at this path.' },
  pet_not_found: { status: 404, message: 'There is no pet with this id.' },
  category_not_found: { status: 404, message: 'There is no category with this id.' },
  order_not_found: { status: 404, message: 'There is no order with this id.' },
  method_not_allowed: { status: 405, message: 'This path does not support this method; see the Allow header.' },
  insufficient_stock: { status: 409, message: 'Fewer units are free than were ordered.' },
  pet_not_available: { status: 409, message: 'The pet is not available.' },
  out_of_stock: { status: 409, message: 'The pet has no free unit; set its stock before making it available.' },
  pet_has_open_orders: { status: 409, message: 'The pet has open orders; complete or cancel them first.' },
  category_in_use: { status: 409, message: 'The category still has pets; move or delete them first.' },
  order_complete: { status: 409, message: 'The order is complete and cannot change any more.' },
  gone: { status: 410, message: 'This operation is past its sunset date; see the Link header for its successor.' },
  precondition_failed: {
    status: 412,
    message:
      'The resource has changed: If-Match names another representation, or only weak tags (W/), which never match. Nothing was written.',
  },
  payload_too_large: { status: 413, message: `The body is larger than ${maxBodyBytes} bytes.` },
  unsupported_media_type: {
    status: 415,
    message:
      'The body must be JSON in UTF-8; send Content-Type: application/json (a PATCH may say application/merge-patch+json).',
  },
  named_category_not_found: {
    status: 422,
    code: 'category_not_found',
    message: 'body.categoryId: there is no category with this id',
  },
  named_pet_not_found: { status: 422, code: 'pet_not_found', message: 'body.petId: there is no pet with this id' },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used for a request with another body within the last 24 hours.',
  },
  too_many_requests: {
    status: 429,
    message: 'Too many requests; wait for the seconds in Retry-After.',
    headers: wait,
  },
  internal_error: { status: 500, message: 'Something went wrong on our side.' },
  bad_gateway: {
    status: 502,
    message:
      'The service gave no valid answer; the outcome of a write is unknown. Repeating it with the same Idempotency-Key, or the same PUT, PATCH or DELETE, is safe; a stock-take with If-Match.',
  },
  try_again: {
    status: 503,
    message:
      'The store is busy and nothing was written. Repeating the request with the same Idempotency-Key, or the same PUT, PATCH or DELETE, is safe.',
    headers: wait,
  },
  outcome_unknown: {
    status: 503,
    code: 'try_again',
    message:
      'The store did not answer in time and the outcome is unknown. Repeating the request with the same Idempotency-Key, or the same PUT, PATCH or DELETE, is safe; a stock-take with If-Match.',
    headers: wait,
  },
  timeout: {
    status: 504,
    message:
      'The service took too long; the outcome of a write is unknown. Repeating it with the same Idempotency-Key, or the same PUT, PATCH or DELETE, is safe; a stock-take with If-Match.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorName = keyof typeof errors;

/** What the caller did, or the store could not do, as one entry of the table. The message may say more than the table's. */
export class ApiError extends Error {
  override readonly name: ErrorName;

  constructor(name: ErrorName, message: string = errors[name].message, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
  }
}

/** The headers that an error carries, whoever answers it. */
export const headersOf = (name: ErrorName): Readonly<Record<string, string>> =>
  (errors[name] as ErrorEntry).headers ?? {};

/** The Error object of the contract. */
export const toBody = (name: ErrorName, message: string = errors[name].message) => {
  const entry: ErrorEntry = errors[name];
  return { code: entry.code ?? name, message, status: entry.status };
};
