import type { Stages } from '../../cdk/config/settings.ts';

/** The stages of the tests, with the defaults: cdk/stages.ts is the user's. */
export const stages = {
  dev: { keepsData: false },
  beta: {},
  prod: { terminationProtection: true },
} satisfies Stages;
