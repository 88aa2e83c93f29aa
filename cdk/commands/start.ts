import { synthesizeLocally } from '../build/synthesize.ts';
import { launch } from '../local/launch.ts';

// What `npm start` runs.
await launch(process.argv.slice(2), ({ webhook }) => synthesizeLocally(webhook));
