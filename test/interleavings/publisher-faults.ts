import type { CallFault, PublisherFaults } from './publisher.ts';

/** Attempts of the publisher in one invocation (lib/events/publish.ts): after as many failures Lambda retries the batch. */
const maxAttempts = 4;

const callFaults: readonly CallFault[] = ['rejected', 'responseLost', 'timeout', 'frozen', 'killed'];

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** The calls that publishing a stream takes without faults. */
interface Calls {
  readonly bus: number;
  readonly queue: number;
}

/** The faults that make Lambda retry a batch, at each event and at each call. */
export const retryFaultsOf = (ids: readonly string[], calls: Calls): PublisherFaults[] => [
  ...ids.map(id => ({ rejectedAtFirst: { id, times: maxAttempts } })),
  ...upTo(calls.bus).flatMap((from): PublisherFaults[] => [
    { bus: { from, times: maxAttempts, fault: 'responseLost' } },
    { bus: { from, times: 1, fault: 'killed' } },
  ]),
];

/**
 * One fault at each event and at each call of a stream. Where nothing is dead-lettered without faults, also two: an event
 * that the bus always rejects, beside one that it rejects at first or beside a failing call to the queue.
 * @param ids of the stream's events
 */
export const allFaultsOf = (ids: readonly string[], calls: Calls): PublisherFaults[] => {
  const rejectedAtFirst = (id: string, times = maxAttempts): PublisherFaults => ({ rejectedAtFirst: { id, times } });
  const secondFaults = [
    ...ids.map(id => rejectedAtFirst(id)),
    ...[1, 2].flatMap(at => callFaults.map((fault): PublisherFaults => ({ queue: { at, fault } }))),
  ];
  return [
    ...ids.flatMap(id => [rejectedAtFirst(id, 1), rejectedAtFirst(id), { tooLarge: id }, { alwaysRejected: id }]),
    ...(calls.queue > 0
      ? []
      : ids.flatMap(alwaysRejected => secondFaults.map(second => ({ alwaysRejected, ...second })))),
    ...upTo(calls.queue).flatMap(at => callFaults.map(fault => ({ queue: { at, fault } }))),
    ...upTo(calls.bus).flatMap(from =>
      callFaults.flatMap(fault => [1, maxAttempts].map(times => ({ bus: { from, times, fault } }))),
    ),
  ];
};
