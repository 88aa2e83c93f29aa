import type * as z from 'zod/mini';
import type { Creation } from '../model/table/create-once.ts';
import type { PageOf } from '../model/table/list.ts';
import type { FileResponse, Operation } from '../operations/operation.ts';

/** A file, and its Content-Security-Policy. */
export interface File<MediaType extends string = string> {
  readonly content: string;
  readonly type: MediaType;
  readonly policy: string;
}

/**
 * What the handler of an operation returns, derived from its declared responses: nothing for 204, a creation for 201, a
 * file, a page for an array, else the body. The middleware chain adds status and headers, and makes it a 304.
 */
export type HandlerResult<O extends Operation> = O['responses'] extends { 204: null }
  ? // biome-ignore lint/suspicious/noConfusingVoidType: it is a return type, inside a promise
    void
  : O['responses'] extends { 201: infer S extends z.ZodMiniType<object> }
    ? Creation<z.output<S>>
    : O['responses'] extends { 200: FileResponse }
      ? File<O['responses'][200]['file'][number]>
      : O['responses'] extends { 200: z.ZodMiniArray<infer I> }
        ? PageOf<z.output<I>>
        : O['responses'] extends { 200: infer S extends z.ZodMiniType }
          ? z.output<S>
          : never;
