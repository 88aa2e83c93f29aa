import { launch } from '../local/launch.ts';
import { readStartOptions } from '../local/options.ts';
import { stages } from '../stages.ts';
import { localSettings, synthesizeOnce } from '../synthesis/synthesize.ts';

const options = readStartOptions('npm start');
const settings = () => localSettings(options, stages.prod);
await launch(options, async () => synthesizeOnce({ stage: 'local', settings: await settings() }));
