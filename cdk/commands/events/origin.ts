import type { Origin } from '../../../lib/events/cloud-event.ts';
import type { Stage } from '../shared/stage.ts';

/** What the publisher of the stage writes into its events: taken from the deployed stack, never from this checkout. */
export const originOf = (stage: Stage): Origin => ({
  source: `/petstore/${stage.name}`,
  generation: Number(stage.output('EventsGeneration')),
});
