import { commandOf, runMain } from '../command.ts';
import { launch } from '../local/launch.ts';
import { serverDefinition, toStartOptions } from '../local/options.ts';
import { stages } from '../stages.ts';
import { localSettings, synthesizeOnce } from '../synthesis/synthesize.ts';

export const command = commandOf(serverDefinition('npm start'), async values => {
  const options = toStartOptions(values);
  const settings = () => localSettings(options, stages.prod);
  await launch(options, async () => synthesizeOnce({ stage: 'local', settings: await settings() }));
});

// It goes on without a terminal.
if (import.meta.main) await runMain(command, () => undefined);
