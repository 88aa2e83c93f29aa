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

type IteratorPosition = { readonly ShardIteratorType: 'TRIM_HORIZON' } | AfterSequenceNumber;
interface AfterSequenceNumber {
  readonly ShardIteratorType: 'AFTER_SEQUENCE_NUMBER';
  readonly SequenceNumber: string;
}

/** The calls of DynamoDB Streams that Lambda makes with the function's permissions. */
export interface StreamClient {
  readonly streamOf: (tableName: string) => Promise<string>;
  readonly shards: (stream: string) => Promise<Shard[]>;
  readonly iterator: (stream: string, shard: string, position: IteratorPosition) => Promise<string>;
  readonly records: (iterator: string, limit: number) => Promise<{ records: StreamRecord[]; next: string | undefined }>;
}

/**
 * Uses the wire protocol (JSON 1.0) and not the SDK, because Lambda passes records on in this format. No local engine checks
 * the signature.
 */
export const createStreamClient = (endpoint: string, accessKey: string): StreamClient => {
  // biome-ignore lint/suspicious/noExplicitAny: any response of the service
  const call = async (operation: string, input: object): Promise<any> => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-amz-json-1.0',
        'X-Amz-Target': `DynamoDBStreams_20120810.${operation}`,
        'X-Amz-Date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
        Authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
      },
      body: JSON.stringify(input),
    });
    const body = JSON.parse(await response.text());
    if (response.ok) return body;
    const name = String(body.__type).split('#').at(-1)!;
    throw Object.assign(new Error(`${operation}: ${body.message ?? body.Message ?? ''}`), { name });
  };

  return {
    streamOf: async TableName => (await call('ListStreams', { TableName })).Streams.at(-1).StreamArn,
    shards: async StreamArn => (await call('DescribeStream', { StreamArn })).StreamDescription.Shards,
    iterator: async (StreamArn, ShardId, position) =>
      (await call('GetShardIterator', { StreamArn, ShardId, ...position })).ShardIterator,
    records: async (ShardIterator, Limit) => {
      const { Records, NextShardIterator } = await call('GetRecords', { ShardIterator, Limit });
      return { records: Records, next: NextShardIterator ?? undefined };
    },
  };
};
