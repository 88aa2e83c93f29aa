import type * as z from 'zod/mini';
import type { PageOf } from '../model/table/list.ts';
import type { Written } from '../model/table/write-once.ts';
import type { FileResponse, Operation } from '../operations/operation.ts';

/** A file, its Content-Security-Policy, and its header Link. */
export interface File<MediaType extends string = string> {
  readonly content: string;
  readonly type: MediaType;
  readonly policy: string;
  readonly link?: string;
}

/** The body of a successful response; none for 204. */
type Body<O extends Operation> = O['responses'][keyof O['responses']] extends infer S extends z.ZodMiniType
  ? z.output<S>
  : undefined;

/**
 * What the handler of an operation returns. It follows from the method and the declared responses: the result of a write, a
 * file, a page if the response is an array, otherwise the body. The middleware chain adds status and headers. It returns 304
 * instead if an entity tag of the caller matches.
 */
export type HandlerResult<O extends Operation> = O['method'] extends 'GET'
  ? O['responses'] extends { 200: FileResponse }
    ? File<O['responses'][200]['file'][number]>
    : O['responses'] extends { 200: z.ZodMiniArray<infer I> }
      ? PageOf<z.output<I>>
      : Body<O>
  : Written<Body<O>>;
