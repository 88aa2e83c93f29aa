import type { ConnectionFault, ForwardedRequest, Hooks } from './forwarder.ts';

export interface Call {
  /** The function's logical id is its access key. */
  readonly function: string;
  /** Such as `DynamoDB_20120810`. */
  readonly service: string;
  /** `GetItem`, `TransactWriteItems`, … */
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: the input of any operation
  readonly body: any;
}

export const isOfStream = ({ service }: Call) => service.startsWith('DynamoDBStreams');

export interface Result {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the output of any operation
  readonly body: any;
}

/** Sends a call to the target. @param operation by default, that of the received call */
export type Execute = (operation?: string, input?: object) => Promise<Result>;

/** The result of a call, or how its connection breaks. */
export type Outcome = Result | ConnectionFault;

export const awsRequestId = 'ID0OF0A0CALL0TO0DYNAMODB';
const responseHeaders = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amzn-requestid': awsRequestId,
};

/** Hooks with the AWS JSON protocol. */
export const awsJson =
  (
    handle: (call: Call, execute: Execute, request: ForwardedRequest) => Outcome | Promise<Outcome>,
  ): NonNullable<Hooks['request']> =>
  async (request, forward) => {
    const { headers, body } = request;
    const [service = '', operation = ''] = String(headers['x-amz-target']).split('.');
    const accessKey = /Credential=(\w+)\//.exec(headers.authorization ?? '')?.[1] ?? '';
    const call = { function: accessKey, service, operation, body: JSON.parse(body || '{}') };
    const execute: Execute = async (name = operation, input = call.body) => {
      const response = await forward({
        headers: { ...headers, 'x-amz-target': `${service}.${name}` },
        body: JSON.stringify(input),
      });
      return { status: response.status, body: JSON.parse(`${response.body}` || '{}') };
    };
    const outcome = await handle(call, execute, request);
    return typeof outcome === 'string'
      ? outcome
      : { ...outcome, headers: responseHeaders, body: JSON.stringify(outcome.body) ?? '' };
  };

export const errorBody = (name: string, message = name, more: object = {}) => ({
  __type: `com.amazonaws.dynamodb.v20120810#${name}`,
  message,
  ...more,
});

export const resultOf = (body: object): Result => ({ status: '__type' in body ? 400 : 200, body });

/** Three pages at most. AWS has larger ones, but also more elements than a test. */
export const pageOf = <T>(all: readonly T[], token: string | undefined | null) => {
  const next = Number(token ?? 0) + Math.max(2, Math.ceil(all.length / 3));
  return [
    all.slice(Number(token ?? 0), next),
    next < all.length ? String(next) : undefined,
  ] as const;
};
