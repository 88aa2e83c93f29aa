import { localSettings, synthesizeOnce } from '../build/synthesize.ts';
import { launch } from '../local/launch.ts';

// What `npm start` runs.
await launch(process.argv.slice(2), ({ webhook }) =>
  synthesizeOnce({ stage: 'local', settings: localSettings(webhook) }),
);
