import { virtualize } from './virtual.ts';

/** What lib/ reads when it is imported; no call goes there. */
process.env.TABLE_NAME ??= 'petstore-interleavings';
process.env.DYNAMODB_ENDPOINT ??= 'http://127.0.0.1:1';
process.env.EVENT_SOURCE ??= '/petstore/interleavings';
process.env.EVENTS_GENERATION ??= '1';
process.env.EVENT_BUS ??= 'bus';
process.env.EVENTS_ENDPOINT ??= 'http://127.0.0.1:1';
process.env.DEAD_LETTER_QUEUE_URL ??= 'http://127.0.0.1:1/queue';

virtualize();
