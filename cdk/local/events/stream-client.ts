import { createAwsJsonClient } from './aws-json-client.ts';

/** A record as GetRecords returns it and Lambda passes it on. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: string;
  /** The ARN of the stream; Lambda adds it. */
  readonly eventSourceARN?: string;
  readonly dynamodb: { readonly SequenceNumber: string; readonly [part: string]: unknown };
}

export interface Shard {
  readonly ShardId: string;
  readonly ParentShardId?: string;
}

/** The calls of DynamoDB Streams that Lambda makes with the function's permissions. */
export interface StreamClient {
  readonly streamOf: (tableName: string) => Promise<string>;
  readonly shards: (stream: string) => Promise<Shard[]>;
  /** @param after a sequence number; absent: the trim horizon */
  readonly iterator: (stream: string, shard: string, after?: string) => Promise<string>;
  readonly records: (iterator: string, limit: number) => Promise<{ records: StreamRecord[]; next: string | undefined }>;
}

/** Uses the wire protocol and not the SDK, because Lambda passes records on in this format. */
export const createStreamClient = (endpoint: string, accessKey: string): StreamClient => {
  const call = createAwsJsonClient({ endpoint, name: 'dynamodb', target: 'DynamoDBStreams_20120810', accessKey });

  return {
    streamOf: async TableName => (await call('ListStreams', { TableName })).Streams.at(-1).StreamArn,
    shards: async StreamArn => (await call('DescribeStream', { StreamArn })).StreamDescription.Shards,
    iterator: async (StreamArn, ShardId, SequenceNumber) => {
      const ShardIteratorType = SequenceNumber ? 'AFTER_SEQUENCE_NUMBER' : 'TRIM_HORIZON';
      return (await call('GetShardIterator', { StreamArn, ShardId, ShardIteratorType, SequenceNumber })).ShardIterator;
    },
    records: async (ShardIterator, Limit) => {
      const { Records, NextShardIterator } = await call('GetRecords', { ShardIterator, Limit });
      return { records: Records, next: NextShardIterator ?? undefined };
    },
  };
};
