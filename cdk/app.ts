import { buildApp } from './assembly/build-app.ts';
import { makeReadable } from './assembly/make-readable.ts';

// What `cdk synth`, `cdk diff` and `cdk deploy` run.
const { directory } = (await buildApp()).synth();
makeReadable(directory);
