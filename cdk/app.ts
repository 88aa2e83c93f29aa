import { buildApp } from './build-app.ts';

// What `cdk synth`, `cdk diff` and `cdk deploy` run.
(await buildApp()).synth();
