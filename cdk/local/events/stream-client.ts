import { createAwsJsonClient } from './aws-json-client.ts';

/** A record as GetRecords returns it and Lambda passes it on. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: string;
  /** Lambda adds it. */
  readonly eventSourceARN?: string;
  readonly dynamodb: { readonly SequenceNumber: string; readonly [part: string]: unknown };
}

export interface Shard {
  readonly ShardId: string;
  readonly ParentShardId?: string;
}

/**
 * Lambda makes these calls with the permissions of the function that it invokes. Without the SDK, records keep the format of the
 * wire protocol, which Lambda passes on.
 */
export const createStreamClient = (endpoint: string, accessKey: string) => {
  const call = createAwsJsonClient('dynamodb', endpoint, accessKey);
  return {
    streamOf: async (TableName: string): Promise<string> =>
      (await call('ListStreams', { TableName })).Streams.at(-1).StreamArn,

    shards: async (StreamArn: string): Promise<Shard[]> =>
      (await call('DescribeStream', { StreamArn })).StreamDescription.Shards,

    /** @param SequenceNumber the iterator begins after it; absent: at the oldest record */
    iterator: async (
      StreamArn: string,
      ShardId: string,
      SequenceNumber?: string,
    ): Promise<string> => {
      const ShardIteratorType = SequenceNumber ? 'AFTER_SEQUENCE_NUMBER' : 'TRIM_HORIZON';
      return (
        await call('GetShardIterator', { StreamArn, ShardId, ShardIteratorType, SequenceNumber })
      ).ShardIterator;
    },

    records: async (
      ShardIterator: string,
      Limit: number,
    ): Promise<{ records: StreamRecord[]; next?: string }> => {
      const { Records, NextShardIterator } = await call('GetRecords', { ShardIterator, Limit });
      return { records: Records, next: NextShardIterator };
    },
  };
};

export type StreamClient = ReturnType<typeof createStreamClient>;
