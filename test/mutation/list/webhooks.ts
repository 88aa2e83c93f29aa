import { mutantsOf } from '../mutant.ts';

/** lib/webhooks and its stack: signing, retries, and that no event is lost. */
export const ofTheWebhooks = [
  ...mutantsOf('lib/webhooks/signature.ts', 'webhooks/deliver', [
    ['signs without the timestamp', '`${id}.${timestamp}.${body}`', '`${id}.${body}`'],
    ['signs without the id', '`${id}.${timestamp}.${body}`', '`${timestamp}.${body}`'],
    ['signs in milliseconds', 'String(Math.floor(time / 1000))', 'String(time)'],
    ['signs with the first key only', 'keys.map(signatureOf)', 'keys.slice(0, 1).map(signatureOf)'],
    ['accepts what is not base64', 'const isBase64 = ', 'const isBase64 = true || '],
    ['accepts a short key', 'key.length >= minKey', 'key.length > 0'],
    ['accepts a long key', ' && key.length <= maxKey', ''],
  ]),
  ...mutantsOf('lib/webhooks/signing-keys.ts', 'webhooks/deliver', [
    ['the previous secret signs forever', 'const rotationTime = 24 * 3600 * 1000;', 'const rotationTime = Number.MAX_SAFE_INTEGER;'],
    ['the previous secret never signs', 'now < until ? keyOf(', 'false ? keyOf('],
    ['a cached previous secret does not expire', 'previous && now < previous.until ?', 'previous ?'],
    ['secrets are not cached', 'cached && now < cached.staleAt ? cached :', 'false ? cached! :'],
    ['secrets are cached forever', 'cached && now < cached.staleAt ?', 'cached ?'],
    ['a deleted secret is missing', "if (name === 'ResourceNotFoundException') return undefined;", 'if (true) return undefined;'],
  ]),
  ...mutantsOf('lib/webhooks/post.ts', 'webhooks/deliver', [
    ['has no timeout', 'signal: timedOut,', ''],
    ['reads all of the body', 'if (read > maxBody) response.destroy();', ''],
    ['keeps connections', 'agent: false,', ''],
    ['waits forever after a broken connection', "request.on('close', () => responded ||", "request.on('close', () => true ||"],
  ]),
  ...mutantsOf('lib/webhooks/retry-delay.ts', 'webhooks/deliver', [
    ['ignores Retry-After', 'Math.max(backoff, readRetryAfter(retryAfter, now), 1)', 'Math.max(backoff, 1)'],
    ['waits for as long as the receiver says', 'Math.min(seconds, maxDelay) : 0', 'seconds : 0'],
    ['has no jitter', 'random * Math.min(', 'Math.min('],
    ['doubles no delay', '2 ** (attempt - 1)', '1'],
    ['waits for more than an hour', 'Math.min(firstDelay * 2 ** (attempt - 1), maxDelay)', 'firstDelay * 2 ** (attempt - 1)'],
    ['retries at once', 'readRetryAfter(retryAfter, now), 1)', 'readRetryAfter(retryAfter, now))'],
  ]),
  ...mutantsOf('lib/webhooks/deliver.ts', 'webhooks/deliver', [
    ['redirects are successes', 'status >= 200 && status < 300', 'status >= 200 && status < 400'],
    ['410 is retried', "if (status === 410) return { ...made, outcome: 'gone' };", ''],
    ['dead-letters nothing', 'if (!event || ageSeconds >= maxAge) {', 'if (!event) {'],
    ['dead-letters after an hour', 'const maxAge = 24 * 3600;', 'const maxAge = 3600;'],
    ['loses an event after 24 hours', 'await deadLetter(eventSourceARN, final, body);', ''],
    ['hides no message', 'await changeVisibility(eventSourceARN, receiptHandle, retryInSeconds);', ''],
    ['retries what is not an event', 'if (!event || ageSeconds', 'if (ageSeconds'],
    ['dead-letters too large a message', 'if (Buffer.byteLength(body) + maxAttributes <= maxMessage) return body;', 'if (true) return body;'],
    ['counts the age from now', 'now - Number(attributes.SentTimestamp)', 'now - now'],
  ]),
  ...mutantsOf('lib/webhooks/handle-queue.ts', 'webhooks/deliver', [
    ['an error of SQS loses the message', "attempt === undefined || attempt.outcome === 'retried'", "attempt?.outcome === 'retried'"],
    ['a failed attempt loses the message', "attempt === undefined || attempt.outcome === 'retried'", 'attempt === undefined'],
  ]),
  ...mutantsOf('cdk/stack/webhooks.ts', 'stack/webhooks', [
    ['messages are visible again too early', '6 * sender.timeout', 'sender.timeout'],
    ['a failing message is dead-lettered by SQS', 'const maxReceiveCount = 500;', 'const maxReceiveCount = 50;'],
    ['messages expire after a day', 'const retention = Duration.days(14);', 'const retention = Duration.days(1);'],
    ['messages are not encrypted', 'encryption: QueueEncryption.SQS_MANAGED,', 'encryption: QueueEncryption.UNENCRYPTED,'],
    ['every rule may send to a queue', "conditions: { ArnEquals: { 'aws:SourceArn': rules.map(({ attrArn }) => attrArn) } },", ''],
    ['every client’s events are sent', '...(client !== undefined && { detail: { clientid: [clientIdOf(client)] } }),', ''],
    ['a rule loses what its queue does not accept', 'deadLetterConfig: { arn: this.deadLetterQueue.queueArn },', ''],
    ['several messages at a time', 'batchSize: 1,', 'batchSize: 10,'],
    ['no limit of concurrency', 'maxConcurrency: concurrency,', ''],
    ['failures are not reported', 'reportBatchItemFailures: true,', ''],
    ['the function may read every secret', 'resource: `secret:${name}-??????`', 'resource: `secret:*`'],
  ]),
  ...mutantsOf('lib/webhooks/clients.ts', 'webhooks/deliver', [['the visibility of another queue changes', "queueArn.split(':').slice(-2)", "queueArn.split(':').slice(-3)", 'webhooks/delivery']]),
  ...mutantsOf('cdk/commands/webhooks/redrive.ts', 'commands/webhooks-redrive', [
    ['--webhook is ignored', 'webhook !== undefined && undelivered.webhook !== webhook', 'false'],
    ['what is left exits with 0', 'return isLeft && !isDry ? 1 : 0;', 'return 0;'],
    ['a dry run moves', 'if (isDry) return', 'if (false) return'],
    ['an event that fails again is moved for ever', 'moved.has(delivery) && sentAt > startedAt', 'false', 'commands/webhooks-redrive: leaves an event in the queue'],
  ]),
  ...mutantsOf('cdk/commands/webhooks/undelivered-events.ts', 'commands/webhooks-redrive', [
    ['any message is an event', "if (event?.specversion !== '1.0') return", 'if (false) return'],
    ['an event without its data is moved', 'if (event.data === undefined)', 'if (false)'],
  ]),
  ...mutantsOf('cdk/commands/verify/webhooks.ts', 'commands/verify/webhooks', [
    ['a full queue is ok', 'if (count > 0) throw', 'if (false) throw'],
    ['no permission is a failure', "if (isDenied(error as Error)) throw new SkippedError('needs sqs:GetQueueAttributes on the queue');", ''],
  ]),
];
