import { synthesiseLocally } from '../assembly/local-stage.ts';
import { launch } from './launch.ts';

// What `npm start` runs.
await launch(process.argv.slice(2), ({ webhook }) => synthesiseLocally(webhook));
