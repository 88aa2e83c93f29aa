/** What the operations' bundles have of the SDK, for a test to send commands by. */
export { BatchGetCommand, GetCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
export { judge } from '../../lib/model/table/classify-error.ts';
export { client } from '../../lib/model/table/client.ts';
