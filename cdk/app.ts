import { buildApp } from './build/build-app.ts';
import { makeReadable } from './build/make-readable.ts';

// What `cdk synth`, `cdk diff` and `cdk deploy` run.
const { directory } = (await buildApp({ validate: true })).synth();
makeReadable(directory);
