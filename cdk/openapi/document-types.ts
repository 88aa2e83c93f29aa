import type { Schema } from './to-schema.ts';

/** The parts of an OpenAPI 3.0 document that programs read here. */
export interface Document {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  /** What is told to webhooks, by type: OpenAPI 3.1 has `webhooks`, 3.0 has not. */
  readonly 'x-webhooks'?: Record<string, { readonly post?: Pick<DocumentedOperation, 'requestBody'> }>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly headers: Record<string, Schema>;
    readonly [part: string]: object;
  };
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly schema: Schema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  /** Errors refer to the shared ones. */
  readonly responses: Record<string, DocumentedResponse | { readonly $ref: string }>;
  readonly [field: string]: unknown;
}

export interface DocumentedResponse {
  readonly description: string;
  readonly headers: Record<string, { readonly $ref: string }>;
  readonly content?: Record<string, { readonly schema: Schema; readonly [field: string]: unknown }>;
}

/** Follows a `$ref` of a document to what it names; anything else is what it is. */
export type Resolve = <T>(value: T | { readonly $ref: string }) => T;

export const resolverOf =
  (document: Document): Resolve =>
  <T>(value: T | { readonly $ref: string }): T => {
    const { $ref } = value as { $ref?: string };
    if (!$ref) return value as T;
    const steps = $ref.slice(2).split('/');
    // biome-ignore lint/suspicious/noExplicitAny: a walk along any path of the document
    return steps.reduce((part: any, step) => part[step], document) as T;
  };
