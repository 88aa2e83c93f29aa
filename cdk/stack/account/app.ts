import { newApp } from '../../build/build-app.ts';
import { runApp } from '../../build/run-app.ts';
import { AccountStack } from './account-stack.ts';

// `cdk deploy --app 'node cdk/stack/account/app.ts'` runs this app, once for each account and region.
await runApp(() => {
  const app = newApp({ validate: true });
  new AccountStack(app, 'petstore-account');
  app.synth();
});
