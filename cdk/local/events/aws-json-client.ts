export const awsError = (name: string, message: string) =>
  Object.assign(new Error(message), { name });

/** In milliseconds. Without a response, a poller would wait forever. */
const maxCallTime = 20_000;

const targets = { sqs: 'AmazonSQS', dynamodb: 'DynamoDBStreams_20120810' };

/**
 * Local services do not check the signature. The access key is the id of the function for which Lambda polls: in tests, a proxy
 * enforces its permissions.
 */
export const createAwsJsonClient =
  (service: keyof typeof targets, endpoint: string, accessKey: string, callTime = maxCallTime) =>
  // biome-ignore lint/suspicious/noExplicitAny: any response of the service
  async (operation: string, input: object): Promise<any> => {
    const response = await fetch(endpoint, {
      method: 'POST',
      signal: AbortSignal.timeout(callTime),
      headers: {
        'Content-Type': 'application/x-amz-json-1.0',
        'X-Amz-Target': `${targets[service]}.${operation}`,
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
