import * as webhooks from './webhooks.ts';

/** Found under CloudWatch → Logs Insights → Queries, in the folder with the stack's name. Saved queries are free. */
export interface SavedQuery {
  readonly name: QueryName;
  /**
   * Log groups with the lines of lib/http/log-request.ts, lib/events/log-batch.ts, all functions, or cdk/stack/access-log.ts.
   */
  readonly reads: keyof typeof texts;
  readonly text: string;
}

/**
 * Logs Insights names the items of an array by their index: `message.error.0.name` (CloudWatch Logs user guide, "Supported logs
 * and discovered fields"). A query costs $0.005 per GB that it reads, so choose a time range of hours rather than months.
 */
const texts = {
  operations: {
    '5xx by cause': `filter message.status >= 500
| stats count(*) as responses, min(@timestamp) as first, latest(message.requestId) as example by message.status, message.operation, message.error.0.name, message.error.1.name, message.error.1.message, message.error.1.code, message.error.1.throttlingReasons.0, message.error.1.cancellationReasons.0, message.error.1.cancellationReasons.1
| sort responses desc`,
    // The order of a replay counts already. A counter sale is complete at once. `strcontains` returns 1 or 0, and `count` counts
    // the lines that have the field (CloudWatch Logs user guide, "Supported operations and functions").
    'Orders of the day': `filter message.status < 300 and not ispresent(message.replayed) and (message.operation = "placeOrder" or ispresent(message.completed))
| stats sum(strcontains(message.operation, "placeOrder")) as orders, count(message.completed) as completed by bin(1d)`,
    // Compare with the operation's rate (limits.ts). The gateway rejects requests above the rate with 429, and does not invoke the
    // function for them. A second `stats` reads the results of the first (user guide, "stats").
    'Busiest five minutes by operation': `filter ispresent(message.operation)
| stats count(*) / 300 as requestsPerSecond by message.operation, bin(5m)
| stats max(requestsPerSecond) as mostPerSecond by message.operation
| sort mostPerSecond desc`,
    'Slowest requests': `filter ispresent(message.durationMs)
| fields @timestamp, message.operation, message.status, message.durationMs, message.dynamoDbCalls, message.readUnits, message.writeUnits, message.coldStart, message.requestId
| sort message.durationMs desc
| limit 50`,
    'Request units by operation': `filter ispresent(message.operation)
| stats count(*) as requests, sum(message.readUnits) as readUnits, sum(message.writeUnits) as writeUnits, avg(message.dynamoDbCalls) as averageCalls, max(message.dynamoDbCalls) as maxCalls, pct(message.durationMs, 99) as p99 by message.operation
| sort requests desc`,
    'Requests by client': `filter ispresent(message.operation)
| stats count(*) as requests by message.clientId, message.operation, message.status
| sort requests desc`,
    'Writes by client': `filter ispresent(message.operation) and not message.operation like /^(get|list)/ and not message.status >= 400
| stats count(*) as writes, min(@timestamp) as first, max(@timestamp) as last by message.clientId, message.operation
| sort writes desc`,
    // The line of an order also has the pet, so that you see who changed its stock.
    'Changed resources by client': `filter ispresent(message.resourceId) and not message.operation like /^(get|list)/ and not message.status >= 400
| stats count(*) as writes, min(@timestamp) as first, max(@timestamp) as last by message.clientId, message.operation, message.petId, message.resourceId
| sort last desc
| limit 10000`,
    // Searches the text of the line, because AWS does not document how Logs Insights compares booleans.
    'Cold starts by operation': `filter @message like /"coldStart":true/
| stats count(*) as starts, pct(message.durationMs, 50) as p50, max(message.durationMs) as slowest by message.operation
| sort starts desc`,
    'Callers of deprecated operations': `filter ispresent(message.deprecated)
| stats count(*) as calls, max(@timestamp) as last by message.operation, message.clientId, message.sourceIp, message.userAgent
| sort calls desc`,
    'One request by its id': `filter message.requestId = "the X-Request-Id of the response"
| fields @timestamp, @log, @message`,
  },
  publisher: {
    'Events retried or dead-lettered': `filter ispresent(message.retryFrom) or ispresent(message.deadLettered.0.reason)
| fields @timestamp, message.records, message.published, message.iteratorAgeSeconds, message.retryFrom, message.error.name, message.error.message, message.deadLettered.0.item, message.deadLettered.0.reason
| sort @timestamp desc`,
    'Violated invariants': `filter message.violatingRecords >= 1
| fields @timestamp, message.violatingRecords, message.violations.0.item, message.violations.0.invariants.0, message.build, @message
| sort @timestamp desc`,
  },
  ...webhooks.queries,
  functions: {
    // Finds lines of Lambda and of Node (crashes, timeouts, out of memory). Only our own lines have `durationMs`. It skips the lines
    // of successful invocations, which Lambda writes at the log level INFO.
    'Functions that failed': `filter not ispresent(message.durationMs) and (not ispresent(type) or (ispresent(record.status) and record.status != "success"))
| stats count(*) as failures, min(@timestamp) as first, latest(@message) as example by @log
| sort failures desc`,
  },
  accessLog: {
    'Rejected or failed at the gateway': `filter status >= 400
| stats count(*) as responses, latest(requestId) as example by status, lambdaStatus, errorType, integrationError, httpMethod, resourcePath, clientId, ip
| sort responses desc`,
    'Time spent before and in the function': `filter integrationLatency >= 0
| stats count(*) as requests, pct(latency, 99) as total, pct(integrationLatency, 99) as integration by httpMethod, resourcePath
| sort total desc`,
  },
} as const satisfies Record<string, Record<string, string>>;
export type QueryName = {
  [Reads in keyof typeof texts]: keyof (typeof texts)[Reads];
}[keyof typeof texts];

export const queries: readonly SavedQuery[] = Object.entries(texts).flatMap(([reads, ofGroup]) =>
  Object.entries(ofGroup).map(([name, text]) => ({ name, reads, text }) as SavedQuery),
);
