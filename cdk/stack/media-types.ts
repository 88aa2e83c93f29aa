/** How clients write a charset; `fetch`, OkHttp, axios and jQuery each their own way. */
const charsets = ['', ';charset=UTF-8', '; charset=utf-8', ';charset=utf-8', '; charset=UTF-8'];

const texts = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/xml',
  'text/xml',
] as const;

/**
 * Content types to which a fixed answer is given: those that clients commonly send. A mock answers 415 to any that it has no
 * template for (developer guide, "integration passthrough behaviors"). AWS does not say whether it compares parameters.
 * Where it leaves them out, as is likely (a template keyed by a type with a parameter matches nothing: aws-cdk#16323), the
 * bare types are enough; where it does not, these spellings are in it too. Only a multipart boundary can then not be foreseen.
 */
export const answeredTypes: readonly string[] = [
  ...texts.flatMap(type => charsets.map(charset => type + charset)),
  'application/merge-patch+json',
  'application/octet-stream',
  'multipart/form-data',
];
