import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { readAccountOptions } from '../../config/account-options.ts';
import { AccountStack } from './account-stack.ts';

/**
 * Composes the stack of an account, ready to synthesize.
 * @param props.validate runs cdk-nag and CloudFormation's own validation
 * @throws at options that are missing or malformed
 */
export const buildAccount = ({ validate = false, ...props }: AppProps & { readonly validate?: boolean } = {}): App => {
  const app = new App({ builtinCloudFormationValidation: validate, ...props });
  if (validate) Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  new AccountStack(
    app,
    'petstore-account',
    // The CDK CLI sets the variable to the region of the credentials, where it deploys the stack.
    readAccountOptions(name => app.node.tryGetContext(name), process.env.CDK_DEFAULT_REGION),
  );
  return app;
};
