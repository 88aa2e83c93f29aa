import type { Stages } from '../../cdk/config/settings.ts';

/**
 * The stages of the tests: those in cdk/stages.ts belong to the user. What a test imports gets these (vitest.config.ts); only a
 * process that a test starts reads the user's.
 */
export const stages = {
  dev: { keepsData: false },
  beta: {},
  prod: { terminationProtection: true },
} satisfies Stages;
