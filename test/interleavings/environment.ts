import { virtualise } from './virtual.ts';

/** What lib/ reads when it is imported; no call goes there. */
process.env.TABLE_NAME ??= 'petstore-interleavings';
process.env.DYNAMODB_ENDPOINT ??= 'http://127.0.0.1:1';

virtualise();
