import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { settingsOf } from '../config/settings.ts';
import { commandOf } from './shared/command.ts';

const usage = `npm run synth [-- --stage NAME] [-c KEY=VALUE]
Synthesizes the CloudFormation template of a stage into cdk.out, with the checks of cdk-nag.
  --stage NAME      the stage (default dev)
  -c, --context KEY=VALUE
                    context for the CDK app: userPoolArn, tokenUrl; repeat it for several
  --help            print this`;

const { readOptions, run } = commandOf(usage);
const { values } = readOptions({
  stage: { type: 'string', default: 'dev' },
  context: { type: 'string', short: 'c', multiple: true, default: [] },
});

await run(async () => {
  const { stage, context } = values;
  settingsOf(stage);
  const cdk = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
  const args = ['synth', '--quiet', ...[`stage=${stage}`, ...context].flatMap(pair => ['--context', pair])];
  const [code] = await once(spawn(process.execPath, [cdk, ...args], { stdio: 'inherit' }), 'exit');
  if (code !== 0) return code ?? 1;
  console.log(`The template of the stage "${stage}" is cdk.out/petstore-${stage}.template.json

Next:
  npx cdk diff -c stage=${stage}      compare it with the deployed stack
  npx cdk deploy -c stage=${stage}    deploy it`);
  return 0;
});
