import { requestHandler } from './request-handler.ts';

/** Explicit, so that no SDK client loads configuration to resolve them. */
export const clientOptions = {
  requestHandler,
  /** Callers retry instead of the SDK, because they must know whether an attempt may have written. */
  maxAttempts: 1,
  defaultsMode: 'standard',
  retryMode: 'standard',
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  defaultUserAgentProvider: async (): Promise<[string][]> => [['petstore']],
} as const;
