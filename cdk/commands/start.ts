import { localSettings, synthesizeOnce } from '../build/synthesize.ts';
import { launch } from '../local/launch.ts';
import { readStartOptions } from '../local/options.ts';

// `npm start`
const options = readStartOptions('npm start');
await launch(options, async () => synthesizeOnce({ stage: 'local', settings: await localSettings(options) }));
