/** The parts of the SDK in the functions' bundles, for tests that send commands. */
export { BatchGetCommand, GetCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
export { client } from '../../lib/model/table/client.ts';
