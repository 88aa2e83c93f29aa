import { requestHandler } from './request-handler.ts';

/** Options of every SDK client. They are explicit, so that the SDK does not load configuration to resolve them. */
export const clientOptions = {
  requestHandler,
  /** The SDK does not retry. The callers retry, because they must know whether an attempt may have written. */
  maxAttempts: 1,
  defaultsMode: 'standard',
  retryMode: 'standard',
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  defaultUserAgentProvider: async (): Promise<[string][]> => [['petstore']],
} as const;
