import { allOperations, type OperationId } from '../../../lib/operations/index.ts';
import { successOf } from '../../../lib/operations/operation.ts';
import { isGone } from './compare.ts';
import type { Created } from './created.ts';
import { operationRequests, readOnlyRequests, type Sample } from './operation-requests.ts';
import type { ApiResponse, Send } from './send.ts';

/** Requests of each operation: cold ones at the same time, each in an execution environment of its own; then warm ones. */
export interface Samples {
  readonly cold: number;
  readonly warm: number;
}

export interface Latency {
  readonly id: OperationId;
  /** Milliseconds, end to end, sorted. */
  readonly cold: readonly number[];
  readonly warm: readonly number[];
}

const access = new Map(allOperations.map(operation => [operation.id, operation.access]));
const expected = new Map(allOperations.map(operation => [operation.id, successOf(operation).status]));

const sorted = (responses: readonly ApiResponse[]) =>
  responses.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);

/** @throws when an operation does not succeed */
export const measure = async (
  send: Send,
  created: Created,
  { cold, warm, readOnly, mayManage }: Samples & { readOnly: boolean; mayManage: boolean },
): Promise<Latency[]> => {
  const samples = Array.from({ length: cold + warm }, (_, number): Sample => ({ number }));
  const latencies: Latency[] = [];
  const requests = readOnly ? readOnlyRequests : operationRequests;
  for (const { id, request, keep } of requests.filter(({ id }) => mayManage || access.get(id) !== 'orders.manage')) {
    const once = async (sample: Sample): Promise<ApiResponse> => {
      const response = await send(request(sample, created.run));
      if (response.status !== expected.get(id) && !isGone(response))
        throw new Error(`${id}: ${response.status} ${response.text.slice(0, 160)}`);
      keep?.(response, sample, created);
      return response;
    };
    // Wait for all of them, also when one fails, to know what they created.
    const results = await Promise.allSettled(samples.slice(0, cold).map(once));
    const concurrent = results.map(result => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
    const sequential: ApiResponse[] = [];
    for (const sample of samples.slice(cold)) sequential.push(await once(sample));
    latencies.push({ id, cold: sorted(concurrent), warm: sorted(sequential) });
  }
  return latencies;
};

/** The percentile of sorted values by nearest rank. Of few values, p99 is the largest. */
export const percentile = (values: readonly number[], share: number): number | undefined =>
  values[Math.max(0, Math.ceil(share * values.length) - 1)];

/** One row for each operation, in milliseconds. */
export const latencyTable = (latencies: readonly Latency[]): string => {
  const cell = (value: number | undefined) => (value === undefined ? '–' : value.toFixed(0)).padStart(9);
  const head = `${'ms, end to end'.padEnd(18)}${['cold p50', 'cold p99', 'warm p50', 'warm p99'].map(text => text.padStart(9)).join('')}`;
  const rows = latencies.map(
    ({ id, cold, warm }) =>
      id.padEnd(18) +
      [cold, warm].flatMap(list => [cell(percentile(list, 0.5)), cell(percentile(list, 0.99))]).join(''),
  );
  return [head, ...rows].join('\n');
};
