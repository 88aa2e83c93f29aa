import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { readAccountOptions } from '../../config/account-options.ts';
import { AccountStack } from './account-stack.ts';

/** Composes the stack of an account, ready to synthesize. @throws at options that are missing or malformed */
export const buildAccount = (props: AppProps = {}): App => {
  const app = new App(props);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  new AccountStack(
    app,
    'petstore-account',
    readAccountOptions(name => app.node.tryGetContext(name)),
  );
  return app;
};
