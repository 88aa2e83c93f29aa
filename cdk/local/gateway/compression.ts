import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import type { GatewayResult } from './response.ts';

// Emulates `minimumCompressionSize` (API Gateway developer guide, "Payload compression for REST APIs"). AWS does not document
// these rules: gzip wins at equal weights, a decompressed request loses its Content-Encoding, a compressed response keeps its
// other headers (such as ETag), and the gateway's own responses are compressed too.

const codings = {
  gzip: { compress: gzipSync, decompress: gunzipSync },
  deflate: { compress: deflateSync, decompress: inflateSync },
};
type Coding = keyof typeof codings;

const isCoding = (name: string): name is Coding => Object.hasOwn(codings, name);

/** The coding with the highest weight (RFC 9110, section 12.5.3), if it is supported; `*` is not. */
export const preferredCoding = (acceptEncoding: string): Coding | undefined => {
  const accepted = acceptEncoding
    .toLowerCase()
    .split(',')
    .map(entry => {
      const [name = '', weight = 'q=1'] = entry.split(';').map(part => part.trim());
      return { name, weight: Number(weight.replace(/^q=/, '')) };
    })
    .filter(({ weight }) => weight > 0);
  const highest = Math.max(...accepted.map(({ weight }) => weight));
  const best = accepted.filter(({ weight }) => weight === highest).map(({ name }) => name);
  return (['gzip', 'deflate'] as const).find(coding => best.includes(coding));
};

export const compress = (
  result: GatewayResult,
  acceptEncoding: string,
  minimum: number,
): GatewayResult => {
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

/** @returns undefined, for a 415, if the coding is not supported, the body is malformed, or it decompresses to above `maximum` */
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
