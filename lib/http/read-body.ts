import { ApiError } from '../errors.ts';
import { maxBodyBytes } from '../max-body-bytes.ts';
import type { Operation } from '../operations/operation.ts';
import { type GatewayEvent, headerValues } from './gateway.ts';

const patchTypes = ['application/merge-patch+json', 'application/json'];

/** A merge patch (RFC 7396) can be sent as plain JSON, too. */
const mediaTypes = (method: Operation['method']): string[] =>
  method === 'PATCH' ? patchTypes : ['application/json'];

/** For OPTIONS, and for the 415 of a PATCH (RFC 5789, section 2.2). */
export const acceptPatch = { 'Accept-Patch': patchTypes.join(', ') };

/** Quoted or bare, and lowercased by `readBody` (RFC 9110, section 8.3.2). */
const charset = /;\s*charset="?([^\s;"]*)/;

/** JSON is UTF-8 (RFC 8259, section 8.1). Many clients write `utf8`. */
const isSupported = (contentType: string, method: Operation['method']): boolean => {
  const [mediaType = ''] = contentType.split(';');
  const encoding = charset.exec(contentType)?.[1] ?? 'utf-8';
  return mediaTypes(method).includes(mediaType.trim()) && ['utf-8', 'utf8'].includes(encoding);
};

/**
 * A body without a Content-Type is read as JSON. If the operation has no body (GET, DELETE), a body is ignored.
 * @throws {ApiError} payload_too_large, unsupported_media_type
 */
export const readBody = (
  event: GatewayEvent,
  { method, request }: Operation,
): string | undefined => {
  if (!request.body) return undefined;
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBodyBytes) throw new ApiError('payload_too_large');
  const contentType = headerValues(event, 'Content-Type')?.at(-1)?.trim().toLowerCase();
  if (contentType && !isSupported(contentType, method))
    throw new ApiError('unsupported_media_type');
  // A byte order mark may be ignored (RFC 8259, section 8.1).
  return bytes.toString().replace(/^\ufeff/, '');
};
