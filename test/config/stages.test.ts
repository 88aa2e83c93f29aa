import { expect, it } from 'vitest';
import { settingsOf } from '../../cdk/config/settings.ts';
import { explainExcess, worstCaseMonth } from '../../cdk/cost/worst-case-month.ts';
import { stages } from '../../cdk/stages.ts';
import { synthesize } from '../../cdk/synthesis/synthesize.ts';
import { inPlace, sharedBundles } from '../support/petstore.ts';

/** The user's: the other tests have stages of their own. */
it.each(Object.keys(stages))(
  'the stage %s of cdk/stages.ts is valid, and its worst-case month is below its cap',
  async stage => {
    const assembly = await synthesize({ stage, stages, bundles: sharedBundles(), context: inPlace });
    const excess = explainExcess(worstCaseMonth(assembly), settingsOf(stage, stages[stage]).worstMonthCap);
    expect(excess, excess).toBeUndefined();
  },
);
