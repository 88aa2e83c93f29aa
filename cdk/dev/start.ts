import { synthesise } from '../assembly/synthesise.ts';
import { launch } from './launch.ts';

// What `npm start` runs.
await launch(process.argv.slice(2), () => synthesise({ stage: 'local' }));
