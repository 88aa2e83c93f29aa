import type { Blow, Trouble } from './publisher.ts';

/** So often the publisher tries in one invocation (lib/events/publish.ts): what fails as often comes again. */
const tries = 4;

const blows: readonly Blow[] = ['refused', 'lost', 'stalls', 'frozen', 'killed'];

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Calls of a telling without trouble. */
interface Calls {
  readonly bus: number;
  readonly queue: number;
}

/** What makes something come again, at each event and at each call. */
export const fewTroublesOf = (ids: readonly string[], calls: Calls): Trouble[] => [
  ...ids.map(id => ({ later: { id, times: tries } })),
  ...upTo(calls.bus).flatMap((from): Trouble[] => [
    { bus: { from, times: tries, blow: 'lost' } },
    { bus: { from, times: 1, blow: 'killed' } },
  ]),
];

/**
 * What may befall a stream: something at each of its events and at each call; where nothing is kept anyway, also an event
 * that is never taken beside another that is taken later, or beside a call of the queue that fails.
 * @param ids of its events
 */
export const troublesOf = (ids: readonly string[], calls: Calls): Trouble[] => {
  const later = (id: string, times = tries): Trouble => ({ later: { id, times } });
  const besideNever = [
    ...ids.map(id => later(id)),
    ...[1, 2].flatMap(at => blows.map((blow): Trouble => ({ queue: { at, blow } }))),
  ];
  return [
    ...ids.flatMap(id => [later(id, 1), later(id), { tooLarge: id }, { never: id }]),
    ...(calls.queue > 0 ? [] : ids.flatMap(never => besideNever.map(trouble => ({ never, ...trouble })))),
    ...upTo(calls.queue).flatMap(at => blows.map(blow => ({ queue: { at, blow } }))),
    ...upTo(calls.bus).flatMap(from =>
      blows.flatMap(blow => [1, tries].map(times => ({ bus: { from, times, blow } }))),
    ),
  ];
};
