/** A script in a browser may read these response headers. */
const exposed = [
  'ETag',
  'Link',
  'Location',
  'Deprecation',
  'Sunset',
  'Retry-After',
  'X-Request-Id',
  'Idempotent-Replayed',
  'X-Stability-Level',
  'Allow',
  'Accept-Patch',
];

/** Headers of every response, also of the gateway's own. */
export const commonHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposed.join(','),
  'X-Content-Type-Options': 'nosniff',
  // Two years (OWASP, "REST Security Cheat Sheet"). Browsers ignore this header over http (RFC 6797, section 8.1).
  'Strict-Transport-Security': 'max-age=63072000',
  // The gateway compresses depending on Accept-Encoding, but AWS does not document whether it adds Vary (RFC 9110, 12.5.5).
  Vary: 'Accept-Encoding',
} as const;
