// Yours: the stages, and what differs from the defaults (cdk/config/settings.ts). No release changes this file.
import type { Stages } from './config/settings.ts';

export const stages: Stages = {
  // `cdk destroy` deletes everything.
  dev: { keepsData: false },
  beta: {},
  prod: { terminationProtection: true },
};
