import { localSettings, synthesizeOnce } from '../build/synthesize.ts';
import { launch } from '../local/launch.ts';
import { readStartOptions } from '../local/options.ts';

// `npm start`
const options = readStartOptions('npm start');
await launch(options, () => synthesizeOnce({ stage: 'local', settings: localSettings(options.webhook) }));
