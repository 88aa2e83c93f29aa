import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import type { GatewayResult } from './response.ts';

/**
 * What `minimumCompressionSize` means, as far as it is documented (API Gateway developer guide, "Payload compression for
 * REST APIs"): gzip, deflate and identity are known; a request's body is decompressed, a response's body compressed, from
 * that many bytes on; the coding that the client ranks highest must be a known one, or nothing is compressed; `*` and no
 * header at all mean no compression; a Content-Encoding of the integration's own is left alone.
 *
 * Not documented, and chosen here: gzip where a client ranks both alike; Content-Encoding is taken off a decompressed
 * request; nothing else of a response changes, so neither its ETag nor its Vary; and an answer that the gateway makes
 * itself is treated like any other, which no one can see, because ours are all smaller.
 */
const codings = {
  gzip: { compress: gzipSync, decompress: gunzipSync },
  deflate: { compress: deflateSync, decompress: inflateSync },
};
type Coding = keyof typeof codings;

const isCoding = (name: string): name is Coding => Object.hasOwn(codings, name);

/** The coding that an Accept-Encoding (RFC 9110, section 12.5.3) ranks highest, when it is one to compress with. */
export const preferredCoding = (acceptEncoding: string): Coding | undefined => {
  const wishes = acceptEncoding
    .toLowerCase()
    .split(',')
    .map(wish => {
      const [name = '', weight = 'q=1'] = wish.split(';').map(part => part.trim());
      return { name, weight: Number(weight.replace(/^q=/, '')) };
    })
    .filter(({ weight }) => weight > 0);
  const highest = Math.max(...wishes.map(({ weight }) => weight));
  const best = wishes.filter(({ weight }) => weight === highest).map(({ name }) => name);
  return (['gzip', 'deflate'] as const).find(coding => best.includes(coding));
};

/** A response as it goes over the wire to a client with this Accept-Encoding. */
export const compress = (result: GatewayResult, acceptEncoding: string, minimum: number): GatewayResult => {
  const body = Buffer.from(result.body);
  const coding = preferredCoding(acceptEncoding);
  const isEncoded = result.headers.some(([name]) => name.toLowerCase() === 'content-encoding');
  if (!coding || isEncoded || body.length < minimum) return result;
  return {
    ...result,
    headers: [...result.headers, ['Content-Encoding', coding]],
    body: codings[coding].compress(body),
  };
};

/**
 * A request's body as it goes to the integration. Undefined when its coding is not known, or not what it is in, or when
 * more than `maximum` bytes would come out: all 415, as far as it is documented.
 */
export const decompress = (
  body: Buffer,
  contentEncoding: string | undefined,
  { minimum, maximum }: { minimum: number; maximum: number },
): Buffer | undefined => {
  const coding = contentEncoding?.trim().toLowerCase() || 'identity';
  if (coding === 'identity' || body.length === 0) return body;
  if (!isCoding(coding)) return undefined;
  // "If the payload size is smaller than this value, compression or decompression is not applied on the payload."
  if (body.length < minimum) return body;
  try {
    return codings[coding].decompress(body, { maxOutputLength: maximum });
  } catch {
    return undefined;
  }
};
