import type * as z from 'zod/mini';
import type { PageOf } from '../model/table/list.ts';
import type { Written } from '../model/table/write-once.ts';
import type { FileResponse, Operation } from '../operations/operation.ts';

/** With the values of its headers Content-Security-Policy and Link. */
export interface File<MediaType extends string = string> {
  readonly content: string;
  readonly type: MediaType;
  readonly policy: string;
  readonly link?: string;
}

/** Undefined: the response is a 204. */
type Body<O extends Operation> = O['responses'][keyof O['responses']] extends infer S extends
  z.ZodMiniType
  ? z.output<S>
  : undefined;

/**
 * Follows from the method and the declared responses. The middleware chain adds status and headers. If the If-None-Match of a GET
 * matches, the chain discards the body and returns 304.
 */
export type HandlerResult<O extends Operation> = O['method'] extends 'GET'
  ? O['responses'] extends { 200: FileResponse }
    ? File<O['responses'][200]['file'][number]>
    : O['responses'] extends { 200: z.ZodMiniArray<infer I> }
      ? PageOf<z.output<I>>
      : Body<O>
  : Written<Body<O>>;
