/** The spellings of a charset in clients such as `fetch`, OkHttp, axios and jQuery. */
const charsets = ['', ';charset=UTF-8', '; charset=utf-8', ';charset=utf-8', '; charset=UTF-8'];

const texts = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/xml',
  'text/xml',
] as const;

/**
 * The content types that clients commonly send. A mock integration returns 415 for a type without a template (developer guide,
 * "integration passthrough behaviors"). AWS does not document whether it compares parameters. Probably it ignores them (a
 * template for a type with a parameter never matches: aws-cdk#16323), and the bare types suffice. If it does not, these
 * spellings are included. Only a multipart boundary cannot be predicted.
 */
export const mockMediaTypes: readonly string[] = [
  ...texts.flatMap(type => charsets.map(charset => type + charset)),
  'application/merge-patch+json',
  'application/octet-stream',
  'multipart/form-data',
];
