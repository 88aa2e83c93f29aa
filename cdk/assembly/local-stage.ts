import type { AppOptions } from './build-app.ts';
import { type Assembly, synthesise } from './synthesise.ts';

/** The stack of this machine. @param webhook the address of a server that is to be sent every event, as fast as a rule may */
export const synthesiseLocally = (webhook: string | undefined, options: AppOptions = {}): Promise<Assembly> => {
  const settings = webhook
    ? { webhooks: { local: { url: webhook, types: ['petstore.*'], secret: 'petstore/local', rate: 300 } } }
    : {};
  return synthesise({ stage: 'local', settings, ...options });
};
