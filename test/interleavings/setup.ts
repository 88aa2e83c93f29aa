import { vi } from 'vitest';
import { virtualize } from './virtual-process.ts';

// lib/ reads these variables at import. No test calls the URLs.
process.env.TABLE_NAME = 'petstore-interleavings';
process.env.EVENT_SOURCE = '/petstore/interleavings';
process.env.EVENTS_GENERATION = '1';
process.env.EVENT_BUS = 'bus';
process.env.EVENTS_ENDPOINT = 'http://127.0.0.1:1';
process.env.DEAD_LETTER_QUEUE_URL = 'http://127.0.0.1:1/queue';

virtualize();
vi.mock('../../lib/model/table/client.ts', () => import('./virtual-process.ts'));
