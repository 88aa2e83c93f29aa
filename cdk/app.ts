import { buildApp } from './build/build-app.ts';
import { makeReadable } from './build/make-readable.ts';
import { runApp } from './config/settings-error.ts';

// `cdk synth`, `cdk diff` and `cdk deploy` run this app.
await runApp(async () => {
  const { directory } = (await buildApp({ validate: true })).synth();
  makeReadable(directory);
});
