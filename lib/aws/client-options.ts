import { requestHandler } from './request-handler.ts';

/** What every client of the SDK is built with, said outright, so that it looks nowhere else for it. */
export const clientOptions = {
  requestHandler,
  /** One attempt: whoever calls repeats, because it must know what an attempt may have done. */
  maxAttempts: 1,
  defaultsMode: 'standard',
  retryMode: 'standard',
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  defaultUserAgentProvider: async (): Promise<[string][]> => [['petstore']],
} as const;
