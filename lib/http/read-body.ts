import { ApiError } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { type GatewayEvent, headerValues } from './gateway.ts';

/** The largest body, in bytes. */
const maxBodyBytes = 16_384;

/** What a body may be sent as. A merge patch (RFC 7396) is JSON and may say so either way. */
export const mediaTypes = (method: Operation['method']): string[] =>
  method === 'PATCH' ? ['application/merge-patch+json', 'application/json'] : ['application/json'];

/**
 * The text of the body, once its size and media type are right. A body without a Content-Type is read as JSON; one that
 * no operation asks for (GET, DELETE) is ignored.
 * @throws {ApiError} payload_too_large, unsupported_media_type
 */
export const readBody = (event: GatewayEvent, { method, request }: Operation): string | undefined => {
  if (!request.body) return undefined;
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBodyBytes) throw new ApiError('payload_too_large');
  const mediaType = headerValues(event, 'Content-Type')?.at(-1)?.split(';')[0]?.trim().toLowerCase();
  if (mediaType && !mediaTypes(method).includes(mediaType)) throw new ApiError('unsupported_media_type');
  return bytes.toString();
};
