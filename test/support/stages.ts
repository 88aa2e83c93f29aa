import type { Stages } from '../../cdk/config/settings.ts';

/** The stages in cdk/stages.ts belong to the user. */
export const stages = { dev: { keepsData: false }, beta: {}, prod: { terminationProtection: true } } satisfies Stages;
