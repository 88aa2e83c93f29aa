import { LambdaClient } from '@aws-sdk/client-lambda';
import { commandOf, UsageError } from '../shared/command.ts';
import { deployedOptions, deployedUsage, stackOf, useAccount } from '../shared/stage.ts';
import { applyChange, type Mapping, readState, type State } from './state.ts';

const usage = `npm run pause -- --stage NAME [--events] [--writes] [--resume]
Stops a stage from publishing events, from writing, or both, at once and without a deployment. Without --events and
--writes it prints the state, and changes nothing. You can run it again.
${deployedUsage}
  --events         disables the event source mappings. The changes wait: on the stream for 23 hours, in a queue for its
                   retention period
  --writes         sets the reserved concurrency of every function that writes to 0. Callers get 500 or 502, and nothing
                   is written; reads go on
  --resume         undoes --events or --writes, or both without them
  --help           prints this
A deployment undoes a pause only when it replaces a function or a mapping: adoptedTable replaces the publisher's mapping.
AWS does not document whether an update of a function keeps its concurrency: print the state after each deployment.`;

const { readOptions, run } = commandOf(usage);
const flag = { type: 'boolean', default: false } as const;
const { values: options } = readOptions({ ...deployedOptions, events: flag, writes: flag, resume: flag });

const describeMapping = ({ name, state, detail }: Mapping): string =>
  `  ${name}: ${state}${detail ? `, last result: ${detail}` : ''}`;

const print = ({ mappings, functions }: State): void => {
  const paused = functions.filter(({ reserved }) => reserved === 0);
  const running = functions.filter(({ reserved }) => reserved !== 0);
  console.log(
    [
      mappings.length === 0 ? 'Events: the stage publishes none.' : 'Events:',
      ...mappings.map(describeMapping),
      paused.length === 0
        ? `Writes: running (${functions.length} functions)`
        : `Writes: ${running.length === 0 ? 'paused' : 'PARTLY PAUSED'} (${paused.length} of ${functions.length} functions)`,
      ...(paused.length > 0 ? running.map(({ name }) => `  ${name}: running`) : []),
      ...functions
        .filter(({ reserved }) => reserved)
        .map(({ name, reserved }) => `  ${name}: reserved concurrency ${reserved}, which this stack does not set`),
    ].join('\n'),
  );
};

await run(async () => {
  const { stage, events, writes, resume } = options;
  if (stage === undefined) throw new UsageError('Which stage? --stage NAME');
  useAccount(options);
  const client = new LambdaClient();
  const before = await readState(client, stackOf(stage));
  const both = resume && !events && !writes;
  const isChanged = events || writes || resume;
  try {
    await applyChange(client, before, { events: events || both, writes: writes || both, resume });
  } catch (error) {
    console.error('Some changes failed. To try them again, run the same command.');
    // An error of these reads would hide the error of the change.
    await readState(client, stackOf(stage)).then(print, () => console.error('The state cannot be read.'));
    throw error;
  }
  print(isChanged ? await readState(client, stackOf(stage)) : before);
  if (!isChanged) console.error('Nothing was changed. To change it: --events, --writes, --resume.');
  else if (!resume) console.error(`To undo it: npm run pause -- --stage ${stage} --resume`);
});
