import type { AppOptions } from './build-app.ts';
import { type Assembly, synthesize } from './synthesize.ts';

/** The stack of this machine. @param webhook the address of a server that is to be sent every event, as fast as a rule may */
export const synthesizeLocally = (webhook: string | undefined, options: AppOptions = {}): Promise<Assembly> => {
  const settings = webhook
    ? { webhooks: { local: { url: webhook, types: ['petstore.*'], secret: 'petstore/local', rate: 300 } } }
    : {};
  return synthesize({ stage: 'local', settings, ...options });
};
