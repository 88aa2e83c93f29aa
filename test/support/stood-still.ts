import { afterEach, beforeEach } from 'vitest';
import type { DynamoDbProxy } from './dynamodb-proxy.ts';

/**
 * A function gives up a call after a second. Where a machine stands still for as long, or an engine does (Java's now and
 * then, for several), calls are given up that no test disturbed, and a 503, "outcome unknown" or one call more than usual
 * is right. A test that fails then is run again. No defect hides here: one that gives calls up does so again.
 */
const words = 'functions gave up calls that nobody had disturbed: the machine or the engine stood still';

/** For Vitest's configuration. */
export const afterStandstill = { count: 2, delay: 5_000, condition: new RegExp(words) };

/** Says of a test that failed when it has to be run again. */
export const watchStandstills = (proxy: () => DynamoDbProxy): void => {
  let before = 0;
  beforeEach(() => {
    before = proxy().abandoned.length;
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail' && proxy().abandoned.length > before) throw new Error(words);
  });
};
