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

/**
 * The calls of DynamoDB Streams that Lambda makes with the permissions of the function that it invokes. The SDK is not used,
 * because Lambda passes records to the function in the format of the wire protocol.
 */
export const createStreamClient = (endpoint: string, accessKey: string) => {
  const call = createAwsJsonClient('dynamodb', endpoint, accessKey);
  return {
    streamOf: async (TableName: string): Promise<string> =>
      (await call('ListStreams', { TableName })).Streams.at(-1).StreamArn,

    shards: async (StreamArn: string): Promise<Shard[]> =>
      (await call('DescribeStream', { StreamArn })).StreamDescription.Shards,

    /** @param SequenceNumber the iterator begins after this number. Absent: the iterator begins at the oldest record */
    iterator: async (StreamArn: string, ShardId: string, SequenceNumber?: string): Promise<string> => {
      const ShardIteratorType = SequenceNumber ? 'AFTER_SEQUENCE_NUMBER' : 'TRIM_HORIZON';
      return (await call('GetShardIterator', { StreamArn, ShardId, ShardIteratorType, SequenceNumber })).ShardIterator;
    },

    records: async (ShardIterator: string, Limit: number): Promise<{ records: StreamRecord[]; next?: string }> => {
      const { Records, NextShardIterator } = await call('GetRecords', { ShardIterator, Limit });
      return { records: Records, next: NextShardIterator };
    },
  };
};

export type StreamClient = ReturnType<typeof createStreamClient>;
