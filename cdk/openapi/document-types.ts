import type { Schema } from './to-schema.ts';

/** The parts of an OpenAPI 3.0 document that this project reads. */
export interface Document {
  readonly openapi: string;
  readonly info: object;
  readonly servers: readonly { readonly url: string; readonly [field: string]: unknown }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  /** Events by type. This is an extension, because OpenAPI has them since 3.1. */
  readonly 'x-webhooks'?: Record<
    string,
    { readonly post?: Pick<DocumentedOperation, 'requestBody'> }
  >;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly headers: Record<string, Schema>;
    readonly [part: string]: object;
  };
}

/** A parameter, or a response header. */
export interface Described {
  readonly description: string;
  readonly schema: Schema;
  /**
   * A valid value. An optional parameter has none, because some tools (Bruno, Swagger UI) send every example: a key, a cursor or
   * a tag would make the request fail, and a filter would hide what the store has.
   */
  readonly example?: unknown;
  readonly explode?: boolean;
  readonly required?: boolean;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters: readonly (Described & {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
  })[];
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: Schema; readonly example?: object }>;
  };
  /** Errors are references to shared responses; `default` is any other error. */
  readonly responses: Record<string, DocumentedResponse | { readonly $ref: string }>;
  readonly [field: string]: unknown;
}

export interface DocumentedResponse {
  readonly description: string;
  readonly headers: Record<string, { readonly $ref: string }>;
  readonly content?: Record<string, { readonly schema: Schema; readonly [field: string]: unknown }>;
  readonly links?: Record<string, { readonly $ref: string }>;
}

/** Resolves a `$ref` of a document; returns any other value unchanged. */
export const resolverOf =
  (document: Document) =>
  <T>(value: T | { readonly $ref: string }): T => {
    const { $ref } = value as { $ref?: string };
    if (!$ref) return value as T;
    const steps = $ref.slice(2).split('/');
    // biome-ignore lint/suspicious/noExplicitAny: any part of the document
    return steps.reduce((part: any, step) => part[step], document) as T;
  };
