// This file is yours: it has your stages, and the settings that differ from the defaults (cdk/config/settings.ts). No release changes it.
import type { Stages } from './config/settings.ts';

export const stages: Stages = {
  // `cdk destroy` deletes this stage with all its data.
  dev: { keepsData: false },
  beta: {},
  prod: { terminationProtection: true },
};
