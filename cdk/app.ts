import { buildApp } from './build/build-app.ts';
import { runApp } from './build/run-app.ts';

// `cdk synth`, `cdk diff` and `cdk deploy` run this app.
await runApp(async () => (await buildApp({ validate: true })).synth());
