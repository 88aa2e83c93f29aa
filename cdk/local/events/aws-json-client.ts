import { awsError } from './aws-error.ts';

interface Service {
  readonly endpoint: string;
  /** As in the scope of a signature: `sqs`. */
  readonly name: string;
  /** Before the operation in `X-Amz-Target`: `AmazonSQS`. */
  readonly target: string;
  readonly accessKey: string;
}

/** In milliseconds. Without a response, a poller would wait forever. */
const maxCallTime = 20_000;

/**
 * Calls a local service over the AWS JSON protocol, as Lambda does with the permissions of a function. No local service checks
 * the signature; tests enforce the permissions of the access key.
 */
export const createAwsJsonClient =
  ({ endpoint, name: service, target, accessKey }: Service, callTime = maxCallTime) =>
  // biome-ignore lint/suspicious/noExplicitAny: any response of the service
  async (operation: string, input: object): Promise<any> => {
    const response = await fetch(endpoint, {
      method: 'POST',
      signal: AbortSignal.timeout(callTime),
      headers: {
        'Content-Type': 'application/x-amz-json-1.0',
        'X-Amz-Target': `${target}.${operation}`,
        'X-Amz-Date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
        Authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`,
      },
      body: JSON.stringify(input),
    });
    const body = JSON.parse(await response.text());
    if (response.ok) return body;
    const name = String(body.__type).split('#').at(-1)!;
    throw awsError(name, `${operation}: ${name}: ${body.message ?? body.Message ?? ''}`);
  };
