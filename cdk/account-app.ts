import { accountOptionNames } from './config/account-options.ts';
import { AccountStack } from './stack/account/account-stack.ts';
import { stages } from './stages.ts';
import { checkContext, newApp, runApp } from './synthesis/build-app.ts';

// `cdk deploy --app 'node cdk/account-app.ts'` runs this app, once for each account and region.
await runApp(() => {
  const app = newApp({ validate: true });
  checkContext(app, accountOptionNames);
  new AccountStack(app, 'petstore-account', stages);
  app.synth();
});
