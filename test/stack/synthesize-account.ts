import type { Stages } from '../../cdk/config/settings.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { AccountStack } from '../../cdk/stack/account/account-stack.ts';
import { newApp } from '../../cdk/synthesis/build-app.ts';
import { read } from '../support/project.ts';
import { stages } from '../support/stages.ts';

const { context } = JSON.parse(read('cdk.json'));

/** With these `-c name=value`, the account stack deploys everything. */
export const options = {
  repository: 'acme/petstore',
  email: 'oncall@example.com',
  budget: '100',
  logRole: 'create',
};

export const synthesizeAccount = (
  given: object = options,
  validate = false,
  all: Stages = stages,
) => {
  const app = newApp({
    outdir: tempFolder('account'),
    validate,
    context: { ...context, ...given },
  });
  new AccountStack(app, 'petstore-account', all);
  return app.synth().stacks[0]!;
};
