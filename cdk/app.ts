import { explainExcess, worstCaseMonth } from './cost/worst-case-month.ts';
import type { PetstoreStack } from './stack/stack.ts';
import { stages } from './stages.ts';
import { buildApp, runApp } from './synthesis/build-app.ts';
import { assemble } from './synthesis/synthesize.ts';

// `cdk synth`, `cdk diff` and `cdk deploy` run this app.
await runApp(async () => {
  const app = await buildApp({ stages, validate: true, announce: console.error });
  const { settings } = app.node.children[0] as PetstoreStack;
  const excess = explainExcess(worstCaseMonth(assemble(app)), settings.worstMonthCap);
  if (excess) console.error(`Warning: ${excess}`);
});
