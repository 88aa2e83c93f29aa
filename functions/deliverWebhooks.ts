import { deliver } from '../lib/webhooks/deliver.ts';
import { handleQueue } from '../lib/webhooks/handle-queue.ts';

export const handler = handleQueue(record => deliver(record));
